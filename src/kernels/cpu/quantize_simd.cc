// Quantisation of runs for each instruction set. The quotient is clamped before it is rounded: its bounds are integers.
// Dividing takes its time: a product with the inverse is rounded to the same integer unless it is about half way
// between two, and only then there is a division.
#include <cmath>
#include <limits>

#include "base/fork.h"
#include "kernels/cpu/quantize.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/quantize_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/quantize-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace quantize_simd_cc {

using Bytes = hn::Rebind<std::uint8_t, F>;

template <class T>
void quantize_by_division(const float* x, float scale, int zero, T* out, std::int64_t n) {
  const int lowest = std::numeric_limits<T>::min() - zero, highest = std::numeric_limits<T>::max() - zero;
  const float low = static_cast<float>(lowest), high = static_cast<float>(highest);
  auto* bytes = reinterpret_cast<std::uint8_t*>(out);
  std::int64_t i = 0;
  for (; i + lane_count() <= n; i += lane_count()) {
    const V v = hn::Div(hn::LoadU(F(), x + i), constant(scale));
    hn::StoreU(hn::TruncateTo(Bytes(), rounded_bits(v, constant(low), constant(high), hn::Set(I(), zero))), Bytes(),
               bytes + i);
  }
  for (; i < n; ++i) {
    float v = x[i] / scale;
    v = v < low || v != v ? low : v > high ? high : v;
    out[i] = static_cast<T>(static_cast<int>(std::nearbyint(v)) + zero);
  }
}

// Clamped, quotients are at most 255 in size, and products with the inverse are within 5e-5 of them. Where none of four
// vectors is that near to half way between two integers, none is rounded to even, so that the zero point may be added
// before rounding as well.
template <class T>
void quantize_by_inverse(const float* x, float scale, int zero, T* out, std::int64_t n) {
  constexpr std::int64_t kVectors = 4;
  const V low = constant(static_cast<float>(std::numeric_limits<T>::min() - zero));
  const V high = constant(static_cast<float>(std::numeric_limits<T>::max() - zero));
  const V inverse = constant(1.0f / scale), nearly_half = constant(0.4999f);
  const V to_integer = constant(12582912.0f + static_cast<float>(zero));  // see rounded_bits
  const std::int64_t lanes = lane_count(), step = kVectors * lanes;
  auto* bytes = reinterpret_cast<std::uint8_t*>(out);
  std::int64_t i = 0;
  const auto clamped = [&](std::int64_t at) HWY_ATTR {
    return hn::Min(high, at_least_or(low, hn::Mul(hn::LoadU(F(), x + at), inverse)));
  };
  const auto distance = [&](V v, V rounded) HWY_ATTR { return hn::Abs(hn::Sub(v, hn::Sub(rounded, to_integer))); };
  for (; i + step <= n; i += step) {
    const V va = clamped(i), vb = clamped(i + lanes), vc = clamped(i + 2 * lanes), vd = clamped(i + 3 * lanes);
    const V a = hn::Add(va, to_integer), b = hn::Add(vb, to_integer);
    const V c = hn::Add(vc, to_integer), d = hn::Add(vd, to_integer);
    const auto half_way = hn::Or(hn::Or(hn::Gt(distance(va, a), nearly_half), hn::Gt(distance(vb, b), nearly_half)),
                                 hn::Or(hn::Gt(distance(vc, c), nearly_half), hn::Gt(distance(vd, d), nearly_half)));
    if (HWY_UNLIKELY(!hn::AllFalse(F(), half_way))) {
      quantize_by_division<T>(x + i, scale, zero, out + i, step);
      continue;
    }
    hn::StoreU(hn::TruncateTo(Bytes(), hn::BitCast(U32(), a)), Bytes(), bytes + i);
    hn::StoreU(hn::TruncateTo(Bytes(), hn::BitCast(U32(), b)), Bytes(), bytes + i + lanes);
    hn::StoreU(hn::TruncateTo(Bytes(), hn::BitCast(U32(), c)), Bytes(), bytes + i + 2 * lanes);
    hn::StoreU(hn::TruncateTo(Bytes(), hn::BitCast(U32(), d)), Bytes(), bytes + i + 3 * lanes);
  }
  quantize_by_division<T>(x + i, scale, zero, out + i, n - i);
}

template <class T>
void quantize(const float* x, float scale, int zero, T* out, std::int64_t n) {
  const float size = std::abs(scale);  // where the inverse is a normal number
  if (scale != 1.0f && size > 1e-30f && size < 1e30f) return quantize_by_inverse<T>(x, scale, zero, out, n);
  quantize_by_division<T>(x, scale, zero, out, n);
}

// out[3 i + c] = planes[c][i]
void interleave3(const std::uint8_t* const* planes, std::uint8_t* out, std::int64_t n) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreInterleaved3(hn::LoadU(d, planes[0] + i), hn::LoadU(d, planes[1] + i), hn::LoadU(d, planes[2] + i), d,
                          out + 3 * i);
  for (; i < n; ++i)
    for (std::int64_t c = 0; c < 3; ++c) out[3 * i + c] = planes[c][i];
}

template <class T>
void dequantize(const T* x, float scale, int zero, float* out, std::int64_t n) {
  const hn::Rebind<T, F> narrow;
  std::int64_t i = 0;
  for (; i + lane_count() <= n; i += lane_count()) {
    const VI whole = hn::Sub(hn::PromoteTo(I(), hn::LoadU(narrow, x + i)), hn::Set(I(), zero));
    hn::StoreU(hn::Mul(hn::ConvertTo(F(), whole), constant(scale)), F(), out + i);
  }
  for (; i < n; ++i) out[i] = static_cast<float>(x[i] - zero) * scale;
}

QuantizeTable quantizing() {
  return {quantize<std::uint8_t>, quantize<std::int8_t>, dequantize<std::uint8_t>, dequantize<std::int8_t>,
          interleave3};
}

}  // namespace quantize_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(quantizing);

const QuantizeTable& quantize_table() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(quantizing)(); });
}

}  // namespace norn::kernels
#endif
