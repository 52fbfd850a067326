// Sums of taps for each instruction set: plain loops, which the compiler vectorises, and look-ups along lines.
#include "kernels/cpu/resample.h"

#include <algorithm>
#include <limits>

#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/resample_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace resampling {

template <class T>
void row(const T* x, std::int64_t inner, const std::int32_t* index, const T* weight, std::int64_t taps,
         T* HWY_RESTRICT out) {
  const auto at = [&](std::int64_t t) { return x + index[t] * inner; };
  std::int64_t t = 0;
  if (taps >= 4) {
    const T *HWY_RESTRICT a = at(0), *HWY_RESTRICT b = at(1), *HWY_RESTRICT c = at(2), *HWY_RESTRICT d = at(3);
    const T wa = weight[0], wb = weight[1], wc = weight[2], wd = weight[3];
    for (std::int64_t i = 0; i < inner; ++i) out[i] = a[i] * wa + b[i] * wb + c[i] * wc + d[i] * wd;
    t = 4;
  } else if (taps >= 2) {
    const T *HWY_RESTRICT a = at(0), *HWY_RESTRICT b = at(1);
    const T wa = weight[0], wb = weight[1];
    for (std::int64_t i = 0; i < inner; ++i) out[i] = a[i] * wa + b[i] * wb;
    t = 2;
  } else {
    const T* HWY_RESTRICT a = at(0);
    const T wa = weight[0];
    for (std::int64_t i = 0; i < inner; ++i) out[i] = a[i] * wa;
    t = 1;
  }
  for (; t < taps; ++t) {
    const T* HWY_RESTRICT a = at(t);
    const T wa = weight[t];
    for (std::int64_t i = 0; i < inner; ++i) out[i] += a[i] * wa;
  }
}

template <std::int64_t kTaps, class T>
void fixed_line(const T* HWY_RESTRICT x, const std::int32_t* HWY_RESTRICT index, const T* HWY_RESTRICT weight,
                std::int64_t n, T* HWY_RESTRICT out) {
  for (std::int64_t o = 0; o < n; ++o) {
    T sum = 0;
    for (std::int64_t t = 0; t < kTaps; ++t) sum += x[index[o * kTaps + t]] * weight[o * kTaps + t];
    out[o] = sum;
  }
}
template <class T>
void line(const T* x, const std::int32_t* index, const T* weight, std::int64_t taps, std::int64_t n, T* out) {
  if (taps == 1) return fixed_line<1>(x, index, weight, n, out);
  if (taps == 2) return fixed_line<2>(x, index, weight, n, out);
  if (taps == 4) return fixed_line<4>(x, index, weight, n, out);
  for (std::int64_t o = 0; o < n; ++o) {
    T sum = 0;
    for (std::int64_t t = 0; t < taps; ++t) sum += x[index[o * taps + t]] * weight[o * taps + t];
    out[o] = sum;
  }
}

// Few elements between neighbours, as the colours of a pixel: all of one coordinate at a time.
template <std::int64_t kInner, std::int64_t kTaps, class T>
void fixed_pixels(const T* HWY_RESTRICT x, const std::int32_t* HWY_RESTRICT index, const T* HWY_RESTRICT weight,
                  std::int64_t taps, std::int64_t n, T* HWY_RESTRICT out) {
  const std::int64_t count = kTaps == 0 ? taps : kTaps;
  for (std::int64_t o = 0; o < n; ++o, index += count, weight += count, out += kInner) {
    T sums[kInner] = {};
    for (std::int64_t t = 0; t < count; ++t) {
      const T* const from = x + static_cast<std::int64_t>(index[t]) * kInner;
      for (std::int64_t i = 0; i < kInner; ++i) sums[i] += from[i] * weight[t];
    }
    for (std::int64_t i = 0; i < kInner; ++i) out[i] = sums[i];
  }
}
template <std::int64_t kInner, class T>
void pixels(const T* x, const std::int32_t* index, const T* weight, std::int64_t taps, std::int64_t n, T* out) {
  if (taps == 2) return fixed_pixels<kInner, 2>(x, index, weight, taps, n, out);
  if (taps == 4) return fixed_pixels<kInner, 4>(x, index, weight, taps, n, out);
  fixed_pixels<kInner, 0>(x, index, weight, taps, n, out);
}

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
template <class T>
void blocks(const T* x, const std::int32_t* first, const std::int32_t* index, const T* weight, std::int64_t taps,
            std::int64_t count, T* out) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<std::int32_t, decltype(d)> narrow;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto last_lane = hn::Set(di, static_cast<hn::TFromD<decltype(di)>>(lanes - 1));
  const auto load_index = [&](const std::int32_t* at) HWY_ATTR {
    if constexpr (sizeof(T) == 4)
      return hn::LoadU(di, at);
    else
      return hn::PromoteTo(di, hn::LoadU(narrow, at));
  };
  for (std::int64_t b = 0; b < count; ++b, out += lanes) {
    const auto low = hn::LoadU(d, x + first[b]), high = hn::LoadU(d, x + first[b] + lanes);
    auto sum = hn::Zero(d);
    for (std::int64_t t = 0; t < taps; ++t, index += lanes, weight += lanes) {
      const auto at = load_index(index);
      const auto lane = hn::IndicesFromVec(d, hn::And(at, last_lane));
      const auto is_high = hn::RebindMask(d, hn::Gt(at, last_lane));
      const auto chosen = hn::IfThenElse(is_high, hn::TableLookupLanes(high, lane), hn::TableLookupLanes(low, lane));
      sum = hn::Add(sum, hn::Mul(chosen, hn::LoadU(d, weight)));
    }
    hn::StoreU(sum, d, out);
  }
}
template <class T>
ResampleLoops<T> loops() {
  return {row<T>,
          {line<T>, pixels<2, T>, pixels<3, T>, pixels<4, T>},
          blocks<T>,
          static_cast<std::int64_t>(hwy::HWY_NAMESPACE::Lanes(hwy::HWY_NAMESPACE::ScalableTag<T>()))};
}
#else
template <class T>
ResampleLoops<T> loops() {
  return {row<T>, {line<T>, pixels<2, T>, pixels<3, T>, pixels<4, T>}, nullptr, 1};
}
#endif

// To the nearest integer, halves to even, of numbers far below 2^51, kept within the type.
template <class I>
void rounded(const double* HWY_RESTRICT x, void* out_data, std::int64_t n) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<double> d;
  const hn::Rebind<std::int32_t, decltype(d)> d32;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto low = hn::Set(d, std::numeric_limits<I>::min()), high = hn::Set(d, std::numeric_limits<I>::max());
  const auto near = hn::Set(d, 2 * kNearHalf), near_of_large = hn::Set(d, sizeof(I) < 4 ? 0 : 2 * kNearHalfOfLarge);
  const auto whole = [&](auto v) HWY_ATTR {
    v = hn::Min(hn::Max(hn::IfThenElseZero(hn::Eq(v, v), v), low), high);
    const auto doubled = hn::Add(v, v), twice = hn::Round(doubled);
    const auto is_half = hn::Le(hn::Abs(hn::Sub(doubled, twice)), hn::MulAdd(hn::Abs(v), near_of_large, near));
    return hn::DemoteTo(d32, hn::Round(hn::IfThenElse(is_half, hn::Mul(twice, hn::Set(d, 0.5)), v)));
  };
  constexpr std::int64_t kPart = 512;
  HWY_ALIGN std::int32_t part[kPart];
  I* HWY_RESTRICT out = static_cast<I*>(out_data);
  for (; n > 0; n -= kPart, x += kPart, out += kPart) {
    const std::int64_t count = n < kPart ? n : kPart;
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) hn::StoreU(whole(hn::LoadU(d, x + i)), d32, part + i);
    if (i < count) {
      HWY_ALIGN double rest[HWY_MAX_BYTES / sizeof(double)] = {};
      std::copy_n(x + i, count - i, rest);
      hn::Store(whole(hn::Load(d, rest)), d32, part + i);
    }
    for (i = 0; i < count; ++i) out[i] = static_cast<I>(part[i]);
  }
}

}  // namespace resampling

RoundLoop find_rounding(DataType integer) {
  using namespace resampling;
  switch (integer) {
    case DataType::Int8: return rounded<std::int8_t>;
    case DataType::Uint8: return rounded<std::uint8_t>;
    case DataType::Int16: return rounded<std::int16_t>;
    case DataType::Uint16: return rounded<std::uint16_t>;
    case DataType::Int32: return rounded<std::int32_t>;
    default: return nullptr;
  }
}
ResampleLoops<float> resample_f32() { return resampling::loops<float>(); }
ResampleLoops<double> resample_f64() { return resampling::loops<double>(); }

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(resample_f32);
HWY_EXPORT(resample_f64);
HWY_EXPORT(find_rounding);

ResampleLoops<float> resample_loops_f32() { return HWY_DYNAMIC_DISPATCH(resample_f32)(); }
RoundLoop round_loop(DataType integer) { return HWY_DYNAMIC_DISPATCH(find_rounding)(integer); }
ResampleLoops<double> resample_loops_f64() { return HWY_DYNAMIC_DISPATCH(resample_f64)(); }

}  // namespace norn::kernels
#endif
