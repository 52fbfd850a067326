// Convolutions and matrix products of 8-bit integers, summed exactly in 32 bits (modulo 2^32), and what becomes of the
// sums: they are given as they are, as real numbers, or quantized again, with another tensor added in between.
//
// Scales and zero points are operands, whose values are read when a kernel runs: a few numbers for each channel.
#pragma once
#include <cstdint>
#include <limits>
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// The operands of all of these kernels, in this order; the address is null where there is none.
struct Int8Operand {
  enum Index : std::size_t {
    X,
    W,
    XZero,  // one number of x's type
    WZero,  // one, or one for each channel, of w's type
    Bias,   // int32, one for each channel: added to the sums
    // The sums times scale (one) and w_scale (SumOutput::scales), divided by y_scale (one); f32:
    Scale,
    WScale,
    YScale,
    YZero,  // one number of the type that the sums are quantized to
    Shift,  // f32, SumOutput::shifts: added to what is not quantized
    // Another quantized tensor of the output's shape, and how its elements and the quantized sums become real; the
    // result is quantized by the last two:
    Other,
    OtherScale,
    OtherZero,
    MiddleScale,
    MiddleZero,
    LastScale,
    LastZero,
    Y,
    kCount
  };
};

// The output's channels are a convolution's filters, or a matrix' columns.
struct SumOutput {
  // Int32: sum + bias. Float: (sum + bias) * scales + shift. Uint8, Int8:
  // saturate(round((sum + bias) * scales / y_scale) + y_zero), halves to even, then clipped to [low, high].
  DataType type = DataType::Int32;
  std::int64_t scales = 1, shifts = 0;  // how many: 1 or the number of channels; no shift: 0
  std::int64_t low = std::numeric_limits<std::int64_t>::min(), high = std::numeric_limits<std::int64_t>::max();
  // With another tensor (of this type; Undefined: none):
  // saturate(round(((y - middle_zero) * middle_scale + (other - other_zero) * other_scale) / last_scale) + last_zero),
  // of type `last`, the sum being at least 0 with `relu`.
  DataType other = DataType::Undefined, last = DataType::Undefined;
  bool relu = false;
  // The bias, all scales and zero points, those of x among them, are constants, and neither scales nor their quotients
  // are near the ends of f32's range.
  bool tame = false;
  // Of a tame output: whether the zero point of what is given is odd, so that adding it before rounding is not the
  // same.
  bool odd = false;
  // Of a tame output with bounds or another tensor: y_zero; and with another tensor also the rest, scales divided by
  // the last one. 0 where they do not matter, so that kernels are shared.
  std::int32_t zero = 0, middle_zero = 0, other_zero = 0;
  float middle_scale = 0, other_scale = 0;

  DataType output() const { return other == DataType::Undefined ? type : last; }
  bool is_bounded() const {
    return low > (type == DataType::Uint8 ? 0 : -128) || high < (type == DataType::Uint8 ? 255 : 127);
  }
  auto fields() const noexcept {
    return std::tie(type, scales, shifts, low, high, other, last, relu, tame, odd, zero, middle_zero, other_zero,
                    middle_scale, other_scale);
  }
};

// x, the output and another tensor lie with their channels last; w is dense.
struct ConvInt8Config {
  Shape x, w, out;  // as in ConvConfig
  std::int64_t group = 1;
  Shape strides, dilations, pads_begin, pads_end;
  DataType x_type = DataType::Uint8, w_type = DataType::Int8;  // Uint8 or Int8
  std::int64_t w_zeros = 0;    // how many zero points w has: 0, 1 or one for each filter
  Contents weights, w_zero;    // of w and its zero points
  bool pads_are_zero = false;  // x's zero point is known to be 0, or there is no padding: what pads x is its zero point
  // By spatial dimension, or empty: the output's channels are places of blocks of this size and, in each, what it gives
  // as channels. It is stored so, of out[d + 2] * blocks[d] pixels. Without another tensor, and of one group.
  Shape blocks;
  SumOutput output;
  auto fields() const noexcept {
    return std::tie(x, w, out, group, strides, dilations, pads_begin, pads_end, x_type, w_type, w_zeros, weights,
                    w_zero, pads_are_zero, blocks, output);
  }
};
std::span<const Candidate<ConvInt8Config>> conv_int8_candidates();

// Everything is dense. Ranks of 2 or more; leading dimensions of x and w broadcast to those of out.
struct MatMulInt8Config {
  Shape x, w, out;
  DataType x_type = DataType::Uint8, w_type = DataType::Int8;
  std::int64_t w_zeros = 0;  // 0, 1 or one for each column
  Contents weights, w_zero;
  SumOutput output;
  auto fields() const noexcept { return std::tie(x, w, out, x_type, w_type, w_zeros, weights, w_zero, output); }
};
std::span<const Candidate<MatMulInt8Config>> matmul_int8_candidates();

}  // namespace norn::kernels
