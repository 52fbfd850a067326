// One description per small format and one rounding for all.
//
// Rounding happens on the double's integer significand: a double holds every float, so narrowing a float through it
// rounds once. Magnitude codes of all these formats are ordered like their values, so a carry out of the significand
// gives the next code by itself, and range checks are comparisons of codes.
#include "base/number.h"

#include <cmath>
#include <cstddef>
#include <cstring>

namespace norn::base {
namespace {

constexpr SmallFloatFormat kHalf{5, 10, 15, 0x7bff, 0x7c00, 0x7e00, true, false};
constexpr SmallFloatFormat kBFloat16{8, 7, 127, 0x7f7f, 0x7f80, 0x7fc0, true, false};
constexpr SmallFloatFormat kE4M3FN{4, 3, 7, 0x7e, 0, 0x7f, true, true};
constexpr SmallFloatFormat kE4M3FNUZ{4, 3, 8, 0x7f, 0, 0x80, false, true};
constexpr SmallFloatFormat kE5M2{5, 2, 15, 0x7b, 0x7c, 0x7e, true, true};
constexpr SmallFloatFormat kE5M2FNUZ{5, 2, 16, 0x7f, 0, 0x80, false, true};
constexpr SmallFloatFormat kE2M3{2, 3, 1, 0x1f, 0, 0, true, false};
constexpr SmallFloatFormat kE3M2{3, 2, 3, 0x1f, 0, 0, true, false};
constexpr SmallFloatFormat kE2M1{2, 1, 1, 0x7, 0, 0, true, false};

float decode(const SmallFloatFormat& f, std::uint16_t bits) noexcept {
  const int sign_shift = f.exponent_bits + f.mantissa_bits;
  const bool negative = (bits >> sign_shift) & 1;
  const auto magnitude = static_cast<std::uint16_t>(bits & ((1u << sign_shift) - 1));
  const float sign = negative ? -1.0f : 1.0f;
  if (!f.negative_zero && negative && magnitude == 0) return std::nanf("");
  if (magnitude > f.max) return f.infinity && magnitude == f.infinity ? sign * INFINITY : sign * std::nanf("");
  const int exponent = magnitude >> f.mantissa_bits;
  const int mantissa = magnitude & ((1 << f.mantissa_bits) - 1);
  const int scale = (exponent ? exponent : 1) - f.bias - f.mantissa_bits;
  const auto whole = static_cast<float>(exponent ? mantissa | (1 << f.mantissa_bits) : mantissa);
  if (scale < -126) return sign * std::ldexp(whole, scale);
  return sign * whole * std::bit_cast<float>(static_cast<std::uint32_t>(scale + 127) << 23);  // 2^scale
}

std::uint16_t encode(const SmallFloatFormat& f, double value, bool saturate) noexcept {
  const auto u = std::bit_cast<std::uint64_t>(value);
  const bool negative = u >> 63;
  const auto sign = static_cast<std::uint16_t>((negative ? 1u : 0u) << (f.exponent_bits + f.mantissa_bits));
  const auto with_sign = [&](std::uint16_t code) -> std::uint16_t {
    if (!f.negative_zero && (code == 0 || code == f.nan)) return code;
    return static_cast<std::uint16_t>(code | sign);
  };
  const int biased = static_cast<int>((u >> 52) & 0x7ff);
  const std::uint64_t fraction = u & 0xfffffffffffffull;
  if (biased == 0x7ff && fraction) {
    if (f.nan) return with_sign(f.nan);
    // Formats without NaN leave its conversion open; a zero of the opposite sign is what the ml_dtypes package gives.
    return static_cast<std::uint16_t>(sign ^ (1u << (f.exponent_bits + f.mantissa_bits)));
  }
  const std::uint16_t overflow = (f.saturates && saturate) || (!f.infinity && !f.nan) ? f.max
                                 : f.infinity                                         ? f.infinity
                                                                                      : f.nan;
  if (biased == 0x7ff) return with_sign(overflow);
  if (biased == 0) return with_sign(0);  // doubles below the normal range are zero in every small format
  const int exponent = biased - 1023;
  if (exponent > f.bias + 1 + (1 << f.exponent_bits)) return with_sign(overflow);
  const int lowest = 1 - f.bias;
  const int drop = 52 - f.mantissa_bits + (exponent < lowest ? lowest - exponent : 0);
  if (drop > 53) return with_sign(0);
  const std::uint64_t significand = fraction | (std::uint64_t{1} << 52);
  std::uint64_t kept = significand >> drop;  // rounded without a branch, which nothing would foretell
  const std::uint64_t rest = significand & ((std::uint64_t{1} << drop) - 1), half = std::uint64_t{1} << (drop - 1);
  kept += static_cast<std::uint64_t>(rest > half) | (static_cast<std::uint64_t>(rest == half) & kept & 1);
  const std::uint64_t base =
      exponent < lowest ? 0 : static_cast<std::uint64_t>(exponent + f.bias - 1) << f.mantissa_bits;
  const std::uint64_t code = base + kept;
  return with_sign(code > f.max ? overflow : static_cast<std::uint16_t>(code));
}

// E8M0 is a bare exponent: 2^(code-127), no sign, no zero. Ties round up.
std::uint16_t encode_e8m0(double value, bool saturate) noexcept {
  constexpr std::uint16_t kNan = 0xff, kMax = 0xfe;
  if (std::isnan(value) || (std::signbit(value) && value != 0)) return kNan;
  if (value < 0x1p-127) return saturate ? 0 : kNan;
  const auto u = std::bit_cast<std::uint64_t>(value);
  const auto exponent = static_cast<int>(u >> 52) - 1023;
  const int code = exponent + 127 + static_cast<int>((u >> 51) & 1);
  if (code > kMax) return saturate ? kMax : kNan;
  return static_cast<std::uint16_t>(code);
}

}  // namespace

const SmallFloatFormat* small_float_format(DataType type) noexcept {
  switch (type) {
    case DataType::Float16: return &kHalf;
    case DataType::BFloat16: return &kBFloat16;
    case DataType::Float8E4M3FN: return &kE4M3FN;
    case DataType::Float8E4M3FNUZ: return &kE4M3FNUZ;
    case DataType::Float8E5M2: return &kE5M2;
    case DataType::Float8E5M2FNUZ: return &kE5M2FNUZ;
    case DataType::Float6E2M3: return &kE2M3;
    case DataType::Float6E3M2: return &kE3M2;
    case DataType::Float4E2M1: return &kE2M1;
    default: return nullptr;
  }
}

float half_to_float(std::uint16_t bits) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t magnitude = bits & 0x7fffu;
  if (magnitude >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
  if (magnitude >= 0x0400u) return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000u));
  const float value = static_cast<float>(magnitude) * 0x1p-24f;
  return sign ? -value : value;
}

void halves_to_floats(const void* x, float* out, std::int64_t n) noexcept {
  const auto* from = static_cast<const std::byte*>(x);
  for (std::int64_t i = 0; i < n; ++i) {
    std::uint16_t half;
    std::memcpy(&half, from + 2 * i, sizeof half);
    const std::uint32_t bits = half, magnitude = bits & 0x7fffu, sign = (bits & 0x8000u) << 16;
    // Infinity and NaN have the largest exponent there, too.
    const std::uint32_t more = magnitude >= 0x7c00u ? 0x38000000u : 0;
    const std::uint32_t normal = (magnitude << 13) + 0x38000000u + more;
    const auto small =
        std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24f);
    out[i] = std::bit_cast<float>(sign | (magnitude >= 0x0400u ? normal : small));
  }
}

std::uint16_t float_to_half(float value) noexcept {
  const auto u = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((u >> 16) & 0x8000u);
  const std::uint32_t magnitude = u & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  if (magnitude >= 0x47800000u) return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {
    // Adding 0.5 puts the float's last place at 2^-24, half's smallest step, so the addition itself rounds.
    const float rounded = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(rounded) - 0x3f000000u));
  }
  const std::uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

float small_float_to_float(DataType format, std::uint16_t bits) noexcept {
  if (format == DataType::BFloat16) return bfloat16_to_float(bits);
  if (format == DataType::Float16) return half_to_float(bits);
  if (format == DataType::Float8E8M0) {
    return (bits & 0xff) == 0xff ? std::nanf("") : std::ldexp(1.0f, static_cast<int>(bits & 0xff) - 127);
  }
  const SmallFloatFormat* f = small_float_format(format);
  return f ? decode(*f, bits) : std::nanf("");
}

std::uint16_t float_to_small_float(DataType format, float value, bool saturate) noexcept {
  if (format == DataType::BFloat16) return float_to_bfloat16(value);
  if (format == DataType::Float16) return float_to_half(value);
  return double_to_small_float(format, value, saturate);
}

namespace {

// By way of an f32 whose last bit is set where something was lost, after which half's rounding sees all that it needs:
// the float's upper bits, rounded, less a difference of biases; or, below the normal numbers, the last bits of a sum
// whose last place is half's smallest step.
std::uint16_t double_to_half(double value) noexcept {
  const auto nearest = static_cast<float>(value);
  const auto back = static_cast<double>(nearest);
  auto u = std::bit_cast<std::uint32_t>(nearest);
  u -= static_cast<std::uint32_t>(std::fabs(back) > std::fabs(value));
  u |= static_cast<std::uint32_t>(back != value);
  const std::uint32_t sign = (u >> 16) & 0x8000u, magnitude = u & 0x7fffffffu;
  const auto sum = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f);
  const std::uint32_t normal = ((magnitude + 0xfffu + ((magnitude >> 13) & 1u)) >> 13) - 0x1c000u;
  std::uint32_t code = magnitude < 0x38800000u ? sum - 0x3f000000u : normal;
  code = code > 0x7c00u ? 0x7c00u : code;
  code = magnitude > 0x7f800000u ? 0x7e00u : code;
  return static_cast<std::uint16_t>(sign | code);
}

}  // namespace

void doubles_to_halves(const double* x, std::uint16_t* out, std::int64_t n) noexcept {
  for (std::int64_t i = 0; i < n; ++i) out[i] = double_to_half(x[i]);
}

std::uint16_t double_to_small_float(DataType format, double value, bool saturate) noexcept {
  if (format == DataType::Float16) return double_to_half(value);
  if (format == DataType::Float8E8M0) return encode_e8m0(value, saturate);
  const SmallFloatFormat* f = small_float_format(format);
  return f ? encode(*f, value, saturate) : 0;
}

}  // namespace norn::base
