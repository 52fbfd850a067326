// Floating types of 8 bits and fewer, from and to f32: plain loops for each instruction set, which the compiler
// vectorises. One loop rounds to all of these formats, which differ in numbers alone.
#include <cstdint>
#include <cstring>

#include "base/fork.h"
#include "base/number.h"
#include "kernels/cpu/cast.h"
#include "kernels/cpu/plain_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/cast_small_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {

// Codes are ordered like the magnitudes that they stand for. Of a normal result the code is the float's upper bits,
// rounded, less a difference of biases; of one below, the last bits of the float's sum with a number whose last place
// is the format's smallest step: the addition rounds.
void encode_small(const SmallFloat& f, const float* HWY_RESTRICT x, std::uint8_t* HWY_RESTRICT out, std::int64_t n) {
  const std::uint32_t below_half = (1u << (f.drop - 1)) - 1, drop = static_cast<std::uint32_t>(f.drop);
  const std::uint32_t to_sign = static_cast<std::uint32_t>(31 - f.sign_place);
  const std::uint32_t sign_bit = 1u << f.sign_place, nan_sign = f.nan_turns_sign ? sign_bit : 0;
  const std::uint32_t zero_keeps = f.negative_zero ? 1 : 0;
  std::uint32_t step_bits;
  std::memcpy(&step_bits, &f.step_place, sizeof step_bits);
  for (std::int64_t i = 0; i < n; ++i) {
    std::uint32_t bits, sum;
    std::memcpy(&bits, x + i, sizeof bits);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    float v;
    std::memcpy(&v, &magnitude, sizeof v);
    v += f.step_place;
    std::memcpy(&sum, &v, sizeof sum);
    const std::uint32_t normal = ((magnitude + ((magnitude >> drop) & 1u) + below_half) >> drop) - f.bias;
    std::uint32_t code = magnitude < f.least_normal ? sum - step_bits : normal;
    code = code > f.most ? f.beyond : code;
    std::uint32_t sign = (bits >> to_sign) & sign_bit;
    const bool nan = magnitude > 0x7f800000u;
    code = nan ? f.nan : code;
    sign = nan ? sign ^ nan_sign : sign;
    sign = (code | zero_keeps) != 0 ? sign : 0;
    out[i] = static_cast<std::uint8_t>(code | sign);
  }
}

void decode_small(const float* HWY_RESTRICT values, const std::uint8_t* HWY_RESTRICT x, float* HWY_RESTRICT out,
                  std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = values[x[i]];
}

// The low `bits` of each byte, with the sign that they have.
void keep_few_bits(std::uint8_t* bytes, int bits, bool has_sign, std::int64_t n) {
  if (!has_sign) {
    const auto mask = static_cast<std::uint8_t>((1u << bits) - 1);
    for (std::int64_t i = 0; i < n; ++i) bytes[i] = static_cast<std::uint8_t>(bytes[i] & mask);
    return;
  }
  const auto sign = static_cast<std::uint8_t>(1u << (bits - 1)), mask = static_cast<std::uint8_t>(2u * sign - 1u);
  for (std::int64_t i = 0; i < n; ++i)
    bytes[i] = static_cast<std::uint8_t>(static_cast<std::uint8_t>((bytes[i] & mask) ^ sign) - sign);
}

void divide_each(const float* HWY_RESTRICT x, const float* HWY_RESTRICT by, std::int64_t step, float* HWY_RESTRICT out,
                 std::int64_t n) {
  if (step == 0) {
    const float one = *by;
    for (std::int64_t i = 0; i < n; ++i) out[i] = x[i] / one;
  } else {
    for (std::int64_t i = 0; i < n; ++i) out[i] = x[i] / by[i];
  }
}

SmallTable smalls() { return {encode_small, decode_small, keep_few_bits, divide_each}; }

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(smalls);

const SmallTable& small_table() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(smalls)(); });
}

}  // namespace norn::kernels
#endif
