// Inputs of convolutions of quantized tensors, as reference kernels read them.
#pragma once
#include <vector>

#include "opset/reference.h"

namespace norn::ops {

// Scales or zero points of filters, one for each: an input that is one number, or has as many.
std::vector<double> per_filter(const opset::ReferenceContext& ctx, int input, std::int64_t filters);

// x without the zero point of input `x_zero_point`, w without that of its filters, as far as these are there. What
// pads x is 0 then, that is, its zero point.
struct ConvOperands {
  std::vector<double> x, w;
};
ConvOperands conv_operands(const opset::ReferenceContext& ctx, int x, int x_zero_point, int w, int w_zero_point);

}  // namespace norn::ops
