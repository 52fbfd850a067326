// Quantisation of runs for each instruction set. The quotient is clamped before it is rounded: its bounds are integers.
// Dividing takes its time: a product with the inverse is rounded to the same integer unless it is about half way
// between two, and only then there is a division.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/fork.h"
#include "kernels/cpu/quantize.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/quantize_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/opaque-inl.h"
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

// The low bytes of four vectors.
HWY_INLINE void store_low_bytes(V a, V b, V c, V d, std::uint8_t* out) {
#if HWY_TARGET == HWY_AVX2
  const auto low = [](V v) HWY_ATTR { return _mm256_and_si256(_mm256_castps_si256(v.raw), _mm256_set1_epi32(0xff)); };
  const __m256i bytes = _mm256_packus_epi16(_mm256_packs_epi32(low(a), low(b)), _mm256_packs_epi32(low(c), low(d)));
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);  // packing stays within halves
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_permutevar8x32_epi32(bytes, order));
#else
  const std::int64_t lanes = lane_count();
  hn::StoreU(hn::TruncateTo(Bytes(), hn::BitCast(U32(), a)), Bytes(), out);
  hn::StoreU(hn::TruncateTo(Bytes(), hn::BitCast(U32(), b)), Bytes(), out + lanes);
  hn::StoreU(hn::TruncateTo(Bytes(), hn::BitCast(U32(), c)), Bytes(), out + 2 * lanes);
  hn::StoreU(hn::TruncateTo(Bytes(), hn::BitCast(U32(), d)), Bytes(), out + 3 * lanes);
#endif
}

constexpr std::int64_t kVectors = 4;
HWY_INLINE std::int64_t run_of_vectors() { return kVectors * lane_count(); }
constexpr std::size_t kRun = kVectors * HWY_MAX_BYTES / sizeof(float);

// Clamped, quotients are at most 255 in size, and products with the inverse are within 5e-5 of them. Where none of four
// vectors is that near to half way between two integers, none is rounded to even, so that the zero point may be added
// before rounding as well. `source` gives a vector from an element on, or a run of up to kRun elements, for which it
// may use the memory that is passed.
template <class T, class Source>
HWY_INLINE void quantize_by_inverse(const Source& source, float scale, int zero, T* out, std::int64_t n) {
  const V low = constant(static_cast<float>(std::numeric_limits<T>::min() - zero));
  const V high = constant(static_cast<float>(std::numeric_limits<T>::max() - zero));
  const V inverse = constant(1.0f / scale), nearly_half = constant(0.4999f);
  const V to_integer = constant(12582912.0f + static_cast<float>(zero));  // see rounded_bits
  const std::int64_t lanes = lane_count(), step = run_of_vectors();
  auto* bytes = reinterpret_cast<std::uint8_t*>(out);
  std::int64_t i = 0;
  float run[kRun];
  const auto clamped = [&](std::int64_t at)
                           HWY_ATTR { return hn::Min(high, at_least_or(low, hn::Mul(source.vector(at), inverse))); };
  const auto distance = [&](V v, V rounded) HWY_ATTR { return hn::Abs(hn::Sub(v, hn::Sub(rounded, to_integer))); };
  for (; i + step <= n; i += step) {
    const V va = clamped(i), vb = clamped(i + lanes), vc = clamped(i + 2 * lanes), vd = clamped(i + 3 * lanes);
    const V a = hn::Add(va, to_integer), b = hn::Add(vb, to_integer);
    const V c = hn::Add(vc, to_integer), d = hn::Add(vd, to_integer);
    const auto half_way = hn::Or(hn::Or(hn::Gt(distance(va, a), nearly_half), hn::Gt(distance(vb, b), nearly_half)),
                                 hn::Or(hn::Gt(distance(vc, c), nearly_half), hn::Gt(distance(vd, d), nearly_half)));
    if (HWY_UNLIKELY(!hn::AllFalse(F(), half_way)))
      quantize_by_division<T>(source.run(i, step, run), scale, zero, out + i, step);
    else
      store_low_bytes(a, b, c, d, bytes + i);
  }
  quantize_by_division<T>(source.run(i, n - i, run), scale, zero, out + i, n - i);
}

bool has_normal_inverse(float scale) {
  const float size = std::abs(scale);
  return size > 1e-30f && size < 1e30f;
}

struct Floats {
  const float* x;
  HWY_INLINE V vector(std::int64_t at) const { return hn::LoadU(F(), x + at); }
  const float* run(std::int64_t at, std::int64_t, float*) const { return x + at; }
};
template <class T>
void quantize(const float* x, float scale, int zero, T* out, std::int64_t n) {
  if (scale != 1.0f && has_normal_inverse(scale)) return quantize_by_inverse<T>(Floats{x}, scale, zero, out, n);
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
HWY_INLINE V dequantized(const T* x, V scale, VI zero) {
  const hn::Rebind<T, F> narrow;
  return hn::Mul(hn::ConvertTo(F(), hn::Sub(hn::PromoteTo(I(), hn::LoadU(narrow, x)), zero)), scale);
}
template <class T>
void dequantize(const T* x, float scale, int zero, float* out, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + lane_count() <= n; i += lane_count())
    hn::StoreU(dequantized(x + i, constant(scale), hn::Set(I(), zero)), F(), out + i);
  for (; i < n; ++i) out[i] = static_cast<float>(x[i] - zero) * scale;
}

// Sums or products of two quantized operands.
template <class T, bool adds>
struct Joined {
  const Quantized<T>&x, &y;
  V x_scale = constant(x.scale), y_scale = constant(y.scale);
  VI x_zero = hn::Set(I(), x.zero), y_zero = hn::Set(I(), y.zero);

  HWY_INLINE V vector(std::int64_t at) const {
    // Otherwise a product and the sum become one operation, with one rounding.
    const V a = opaque(dequantized(x.data + at, x_scale, x_zero)),
            b = opaque(dequantized(y.data + at, y_scale, y_zero));
    return adds ? hn::Add(a, b) : hn::Mul(a, b);
  }
  // Plain loops would become fused operations, too.
  const float* run(std::int64_t at, std::int64_t n, float* to) const {
    const std::int64_t lanes = lane_count();
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) hn::StoreU(vector(at + i), F(), to + i);
    if (i < n) {
      T a[HWY_MAX_BYTES] = {}, b[HWY_MAX_BYTES] = {};
      std::copy_n(x.data + at + i, n - i, a);
      std::copy_n(y.data + at + i, n - i, b);
      const Quantized<T> left{a, x.scale, x.zero}, right{b, y.scale, y.zero};
      hn::StoreU(Joined{left, right}.vector(0), F(), to + i);
    }
    return to;
  }
};
template <class T, bool adds>
void join_quantized(const Quantized<T>& x, const Quantized<T>& y, float scale, int zero, T* out, std::int64_t n) {
  const Joined<T, adds> source{x, y};
  if (has_normal_inverse(scale)) return quantize_by_inverse<T>(source, scale, zero, out, n);
  float run[kRun];
  for (std::int64_t i = 0; i < n; i += run_of_vectors()) {
    const std::int64_t m = n - i < run_of_vectors() ? n - i : run_of_vectors();
    quantize_by_division<T>(source.run(i, m, run), scale, zero, out + i, m);
  }
}
template <class T>
constexpr QuantizedJoins<T> kJoins = {join_quantized<T, true>, join_quantized<T, false>};

QuantizeTable quantizing() {
  return {quantize<std::uint8_t>, quantize<std::int8_t>, dequantize<std::uint8_t>, dequantize<std::int8_t>, interleave3,
          kJoins<std::uint8_t>,   kJoins<std::int8_t>};
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
