// Conversions between float and the small floating-point formats of ONNX, one element at a time.
//
// Narrowing rounds to nearest, ties to even. What happens to values out of range differs by format and by the Cast
// operator's `saturate`: the two 8-bit E4M3 formats and the FNUZ ones have no infinity, E8M0 has neither sign nor zero,
// the 6- and 4-bit OCP MX formats have no NaN and always saturate. Sources: IEEE 754-2019 (binary16), OCP 8-bit
// Floating Point Specification 1.0, Micikevicius et al. 2022 (FNUZ variants: Noune et al. 2022), OCP Microscaling
// Formats 1.0.
#pragma once
#include <bit>
#include <cstdint>

#include "norn/types.h"

namespace norn::base {

inline float bfloat16_to_float(std::uint16_t bits) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}
inline std::uint16_t float_to_bfloat16(float value) noexcept {
  std::uint32_t u = std::bit_cast<std::uint32_t>(value);
  if ((u & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((u >> 16) | 0x40u);  // NaN stays NaN
  return static_cast<std::uint16_t>((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}
float half_to_float(std::uint16_t bits) noexcept;
std::uint16_t float_to_half(float value) noexcept;

// From float16, out[i] = half_to_float(x[i]), where x need not be aligned. Without branches, for many.
void halves_to_floats(const void* x, float* out, std::int64_t n) noexcept;
// To float16 from double, rounding once: out[i] = x[i]. Without branches, for many.
void doubles_to_halves(const double* x, std::uint16_t* out, std::int64_t n) noexcept;

// A sign, an exponent and a fraction, from the highest bit on. Codes are those without the sign.
struct SmallFloatFormat {
  int exponent_bits, mantissa_bits, bias;
  std::uint16_t max;       // code of the largest finite value
  std::uint16_t infinity;  // 0: the format has none
  std::uint16_t nan;       // 0: the format has none
  bool negative_zero;      // false: that code is the NaN
  bool saturates;          // obeys the Cast operator's `saturate`
};
// Null for all other types, Float8E8M0 among them.
const SmallFloatFormat* small_float_format(DataType type) noexcept;

// Any floating format of at most 16 bits, by its DataType: Float16, BFloat16, the five 8-bit formats, both 6-bit ones
// and Float4E2M1. `bits` are right-aligned.
float small_float_to_float(DataType format, std::uint16_t bits) noexcept;
// Narrows; `saturate` as the Cast operator defines it (out of range gives the largest finite value instead of
// infinity or NaN). It concerns the 8-bit formats only.
std::uint16_t float_to_small_float(DataType format, float value, bool saturate = true) noexcept;
// As above from double, rounding once.
std::uint16_t double_to_small_float(DataType format, double value, bool saturate = true) noexcept;

}  // namespace norn::base
