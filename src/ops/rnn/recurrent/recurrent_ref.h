// The equations of recurrent layers, for the reference kernels of all operators that have them.
#pragma once
#include <span>
#include <vector>

#include "ops/rnn/recurrent/recurrent.h"
#include "opset/reference.h"

namespace norn::ops {

// The factors of the products with W and R, laid out as ONNX's inputs are. Quantized ones are whole numbers, whose
// products are multiplied by scales: x_scale, and one for each row of W (direction, gate, unit).
struct RecurrentNumbers {
  std::vector<double> x, w, r;
  double x_scale = 1;
  std::vector<double> w_scales, r_scales;  // empty: 1
  // Of an LSTM: replaces the state, as products with R see it, by whole numbers, and returns their scale; null where
  // they see it as it is.
  double (*round_state)(std::span<double> h) = nullptr;
};

// Inputs 3 to 7 and outputs 0 to 2 are those of the operator LSTM.
void run_recurrent(opset::ReferenceContext& ctx, RecurrentLayer kind, const RecurrentParams& p,
                   const RecurrentSizes& sizes, const RecurrentNumbers& numbers);

}  // namespace norn::ops
