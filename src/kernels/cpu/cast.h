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
  bool saturate = true;  // to 8-bit floats: what is out of range is the largest, no infinity or NaN
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

// How floats are rounded to a floating type of 8 bits and fewer, a byte for each.
struct SmallFloat {
  int drop = 20, sign_place = 7;                // bits of a float's fraction that go; where the sign is
  std::uint32_t bias = 0;                       // what a float's upper bits are above the code
  std::uint32_t least_normal = 0;               // bits of the float
  float step_place = 0;                         // whose last place is the smallest step
  std::uint32_t most = 0, beyond = 0, nan = 0;  // codes: the largest, what is larger, NaN
  bool negative_zero = true, nan_turns_sign = false;
};
bool is_small_float(DataType type);  // that small_float() knows
SmallFloat small_float(DataType type, bool saturate);
// What each byte stands for.
const float* small_float_values(DataType type);

struct SmallTable {
  void (*encode)(const SmallFloat& format, const float* x, std::uint8_t* out, std::int64_t n);
  void (*decode)(const float* values, const std::uint8_t* x, float* out, std::int64_t n);
  void (*keep_few_bits)(std::uint8_t* bytes, int bits, bool has_sign, std::int64_t n);
  void (*divide)(const float* x, const float* by, std::int64_t step, float* out, std::int64_t n);  // step 0: by one
};
const SmallTable& small_table();

using CastLoop = void (*)(const void* x, void* out, std::int64_t n);
// Between types that are not half types; null where there is none.
CastLoop cast_loop(DataType from, DataType to);
// From double and wide integers to f32, rounded to odd: what is not exact has its last bit set.
CastLoop odd_float_loop(DataType from);

}  // namespace norn::kernels
