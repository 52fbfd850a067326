// f32 to 8-bit integers by scale and zero point, and back: ONNX QuantizeLinear and DequantizeLinear.
#pragma once
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// x lies as [outer, n, inner]; scale and zero point are of each of the n, or one for all (n is 1 then).
// Operands: x, scale, zero point (of the integer type; null for 0), then the output.
struct QuantizeConfig {
  DataType integer = DataType::Uint8;  // Uint8 or Int8
  std::int64_t outer = 1, n = 1, inner = 1;
  DataType real = DataType::Float;  // or a half type, to which quotients are rounded
};
std::span<const Candidate<QuantizeConfig>> quantize_candidates();
std::span<const Candidate<QuantizeConfig>> dequantize_candidates();

// By one scale, from planes of channels to pixels of channels (Layout::ChannelsLast). Operands: as above.
struct PixelQuantizeConfig {
  DataType integer = DataType::Uint8;  // Uint8 or Int8
  std::int64_t images = 1, channels = 1, pixels = 1;
};
std::span<const Candidate<PixelQuantizeConfig>> pixel_quantize_candidates();

// What the above does not take: 16-bit integers, int32 dequantized, integers of 4 and 2 bits quantized (dequantized,
// they are the bytes that they take), floats of 8 bits and fewer, blocks, and scales from element to element. x lies as
// [outer, n, inner]; the scale of element [o, k, i] is at o * outer_step + k / block * step + i * inner_step. Operands:
// as above.
struct BlockQuantizeConfig {
  DataType integer = DataType::Int16;
  std::int64_t outer = 1, n = 1, inner = 1, block = 1;
  std::int64_t outer_step = 0, step = 0, inner_step = 0;
  DataType real = DataType::Float;  // or a half type, to which quotients are rounded
  bool saturate = true;             // of 8-bit floats
};
std::span<const Candidate<BlockQuantizeConfig>> block_quantize_candidates();
std::span<const Candidate<BlockQuantizeConfig>> block_dequantize_candidates();
// For a target's instruction set: n elements whose scales (and zero points, null for 0) are neighbours if `step` is 1,
// or if it is 0 one for each `block` of them.
using QuantizeLoop = void (*)(const void* x, const float* scales, const void* zeros, std::int64_t step,
                              std::int64_t block, void* out, std::int64_t n);
QuantizeLoop quantize_loop(DataType integer, bool back);
// Products with a scale of a half type, of which the last bit of f32 is set if they are not exact: rounding them to
// that type rounds once. Of integers of 16 bits; null for others.
QuantizeLoop sticky_dequantize_loop(DataType integer);
QuantizeLoop small_quantize_loop(DataType type, bool saturate, bool back);  // of floats of 8 bits and fewer

// By the range of the data, which is widened to hold 0: ONNX DynamicQuantizeLinear.
// Operands: x, then the output, its scale and its zero point.
struct DynamicQuantizeConfig {
  std::int64_t elements = 0;
};
std::span<const Candidate<DynamicQuantizeConfig>> dynamic_quantize_candidates();
// What follows from the least and the largest of each of `count` parts of the data: NaN for both if one is NaN.
struct DynamicRange {
  float scale = 0, divisor = 1;  // which is not 0
  int zero = 0;
};
DynamicRange dynamic_range(const float* ranges, std::int64_t count);

// Runs of one scale. Internal to the kernels.
template <class T>
struct Quantized {
  const T* data;
  float scale;
  int zero;
};
template <class T>
using JoinQuantized = void (*)(const Quantized<T>& x, const Quantized<T>& y, float scale, int zero, T* out,
                               std::int64_t n);
// What from_, the operation of floats and to_ of the table below give, in one pass.
template <class T>
struct QuantizedJoins {
  JoinQuantized<T> sum, product;
};
struct QuantizeTable {
  // out = saturate(round(x / scale) + zero); NaN gives the lowest value.
  void (*to_uint8)(const float* x, float scale, int zero, std::uint8_t* out, std::int64_t n);
  void (*to_int8)(const float* x, float scale, int zero, std::int8_t* out, std::int64_t n);
  // out = (x - zero) * scale
  void (*from_uint8)(const std::uint8_t* x, float scale, int zero, float* out, std::int64_t n);
  void (*from_int8)(const std::int8_t* x, float scale, int zero, float* out, std::int64_t n);
  // out[3 i + c] = planes[c][i]
  void (*interleave3)(const std::uint8_t* const* planes, std::uint8_t* out, std::int64_t n);
  QuantizedJoins<std::uint8_t> of_uint8;
  QuantizedJoins<std::int8_t> of_int8;
};
const QuantizeTable& quantize_table();

}  // namespace norn::kernels
