// Recurrent layers: RNN, GRU and LSTM over all steps of a batch of sequences; f32, or with products of 8-bit integers.
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <vector>

#include "kernels/kernel.h"

namespace norn::kernels {

enum class RecurrentLayer : std::uint8_t { Rnn, Gru, Lstm };

enum class RecurrentFunction : std::uint8_t {
  Relu,
  Tanh,
  Sigmoid,
  Affine,           // a x + b
  LeakyRelu,        // a x below 0
  ThresholdedRelu,  // 0 below a
  ScaledTanh,       // a tanh(b x)
  HardSigmoid,      // a x + b, clipped to [0, 1]
  Elu,              // a (exp(x) - 1) below 0
  Softsign,
  Softplus,
};
struct RecurrentActivation {
  RecurrentFunction function = RecurrentFunction::Tanh;
  float a = 0, b = 0;
  auto fields() const noexcept { return std::tie(function, a, b); }
};

inline constexpr std::int64_t kMostHidden = std::int64_t{1} << 40;  // whatever the other sizes are

// Operands: X, W, R, B, lengths (int32, of each sequence), the initial h and c, the peepholes P, then the outputs Y,
// Y_h and Y_c. All but X, W and R may be null; shapes, the order of gates and what is stacked in W, R, B and P are
// ONNX's. A sequence that is shorter than the longest has zeros behind its end in Y.
struct RecurrentConfig {
  RecurrentLayer layer = RecurrentLayer::Lstm;
  std::int64_t directions = 1, steps = 0, batch = 0, features = 0, hidden = 0;
  bool reverse = false;      // the first direction begins at the end
  bool batch_first = false;  // X, Y and the states have the batch in front
  bool linear_before_reset = false, input_forget = false;
  float clip = std::numeric_limits<float>::infinity();  // of what the functions are given
  std::vector<RecurrentActivation> activations;         // those of each direction in turn
  Contents w, r;

  auto fields() const noexcept {
    return std::tie(layer, directions, steps, batch, features, hidden, reverse, batch_first, linear_before_reset,
                    input_forget, clip, activations, w, r);
  }
};
std::span<const Candidate<RecurrentConfig>> recurrent_candidates();

// LSTM by products of 8-bit integers, summed exactly: X as a whole, and the state of each sequence at every step, are
// rounded to uint8 by their ranges, as DynamicQuantizeLinear does; the rest is f32.
struct QuantizedRecurrentOperand {
  // Those up to P, and the outputs, are LSTM's, but W and R are [direction, input, column], gate behind gate in the
  // columns. Scales and zero points: one for each direction, or for each of its columns.
  enum Index : std::size_t { X, W, R, B, Lengths, H, C, P, WScale, WZero, RScale, RZero, Y, YH, YC, kCount };
};
struct QuantizedRecurrentConfig {
  // Its w and r: the integers.
  RecurrentConfig layer;
  DataType type = DataType::Int8;                                     // of W and R: Uint8 or Int8
  std::int64_t w_scales = 1, w_zeros = 1, r_scales = 1, r_zeros = 1;  // for a direction: 1, or 4 * hidden
  Contents w_zero, r_zero;

  auto fields() const noexcept { return std::tie(layer, type, w_scales, w_zeros, r_scales, r_zeros, w_zero, r_zero); }
};
std::span<const Candidate<QuantizedRecurrentConfig>> quantized_recurrent_candidates();

}  // namespace norn::kernels
