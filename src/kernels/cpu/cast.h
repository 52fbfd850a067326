// Elements of one type turned into another, by the rules of ONNX Cast: rounded once to nearest even; fractions dropped
// on the way to integers; NaN to 0.
#pragma once
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: x, then the output, both of `elements` elements in the same order.
struct CastConfig {
  DataType from = DataType::Float, to = DataType::Float;
  std::int64_t elements = 0;
};
std::span<const Candidate<CastConfig>> cast_candidates();

// The half types to f32, exactly, and from it.
struct HalfTable {
  void (*float16_to_float)(const std::uint16_t* x, float* out, std::int64_t n);
  void (*bfloat16_to_float)(const std::uint16_t* x, float* out, std::int64_t n);
  void (*float_to_float16)(const float* x, std::uint16_t* out, std::int64_t n);
  void (*float_to_bfloat16)(const float* x, std::uint16_t* out, std::int64_t n);
};
const HalfTable& half_table();

using CastLoop = void (*)(const void* x, void* out, std::int64_t n);
// Between types that are not half types; null where there is none.
CastLoop cast_loop(DataType from, DataType to);
// From double and wide integers to f32, rounded to odd: what is not exact has its last bit set.
CastLoop odd_float_loop(DataType from);

}  // namespace norn::kernels
