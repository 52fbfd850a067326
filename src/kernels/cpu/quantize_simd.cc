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

template <class T, bool by_inverse>
void quantize_by(const float* x, float scale, int zero, T* out, std::int64_t n) {
  const int lowest = std::numeric_limits<T>::min() - zero, highest = std::numeric_limits<T>::max() - zero;
  const float low = static_cast<float>(lowest), high = static_cast<float>(highest);
  const hn::Rebind<std::uint8_t, F> narrow;
  auto* bytes = reinterpret_cast<std::uint8_t*>(out);
  const V inverse = constant(1.0f / scale), nearly_half = constant(0.499f);
  std::int64_t i = 0;
  for (; i + lane_count() <= n; i += lane_count()) {
    const V real = hn::LoadU(F(), x + i);
    V v = by_inverse ? hn::Mul(real, inverse) : hn::Div(real, constant(scale));
    if constexpr (by_inverse) {
      const auto half_way = hn::Gt(hn::Abs(hn::Sub(v, hn::Round(v))), nearly_half);
      if (HWY_UNLIKELY(!hn::AllFalse(F(), half_way))) v = hn::Div(real, constant(scale));
    }
    hn::StoreU(hn::TruncateTo(narrow, rounded_bits(v, constant(low), constant(high), hn::Set(I(), zero))), narrow,
               bytes + i);
  }
  for (; i < n; ++i) {
    float v = x[i] / scale;
    v = v < low || v != v ? low : v > high ? high : v;
    out[i] = static_cast<T>(static_cast<int>(std::nearbyint(v)) + zero);
  }
}

template <class T>
void quantize(const float* x, float scale, int zero, T* out, std::int64_t n) {
  const float size = std::abs(scale);  // where the inverse is a normal number
  if (size > 1e-30f && size < 1e30f) return quantize_by<T, true>(x, scale, zero, out, n);
  quantize_by<T, false>(x, scale, zero, out, n);
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
