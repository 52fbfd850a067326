// Channels shifted and scaled for each instruction set.
#include "kernels/cpu/channel_norm.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/channel_norm_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/opaque-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace channels_apart {

namespace hn = hwy::HWY_NAMESPACE;

// (x - mean) * factor + bias; without a mean, the product and the sum are rounded each, as steps of a chain are.
template <bool shifted, class Vec>
HWY_INLINE Vec normalized(Vec x, Vec mean, Vec factor, Vec bias) {
  if constexpr (shifted) return hn::MulAdd(hn::Sub(x, mean), factor, bias);
  return hn::Add(opaque(hn::Mul(x, factor)), bias);
}

// f(d, i, v) for vectors v from x + i on, stored to out + i. The last vector ends with the row, and is read before
// anything is written, as the output may lie where x does.
template <class D, class T, class F>
HWY_INLINE void each_vector(D d, const T* x, T* out, std::int64_t n, const F& f) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (n < lanes) {
    if constexpr (hn::MaxLanes(D()) > 1) each_vector(hn::Half<D>(), x, out, n, f);
    return;
  }
  const auto last = f(d, n - lanes, hn::LoadU(d, x + n - lanes));
  std::int64_t i = 0;
  for (; i + lanes < n; i += lanes) hn::StoreU(f(d, i, hn::LoadU(d, x + i)), d, out + i);
  hn::StoreU(last, d, out + n - lanes);
}

template <class T, bool shifted>
void rows_of_channels(const T* x, const T* mean, const T* factor, const T* bias, T* out, std::int64_t n,
                      std::int64_t channels) {
  for (std::int64_t k = 0; k < channels; ++k, x += n, out += n) {
    const T from = shifted ? mean[k] : T{0}, by = factor[k], shift = bias[k];
    each_vector(hn::ScalableTag<T>(), x, out, n, [=](auto d, std::int64_t, auto v) HWY_ATTR {
      return normalized<shifted>(v, hn::Set(d, from), hn::Set(d, by), hn::Set(d, shift));
    });
  }
}
template <class T, bool shifted>
void each_of_row(const T* x, const T* mean, const T* factor, const T* bias, T* out, std::int64_t n) {
  each_vector(hn::ScalableTag<T>(), x, out, n, [=](auto d, std::int64_t i, auto v) HWY_ATTR {
    return normalized<shifted>(v, hn::LoadU(d, (shifted ? mean : factor) + i), hn::LoadU(d, factor + i),
                               hn::LoadU(d, bias + i));
  });
}

template <class T>
ChannelLoops<T> loops_of(bool shifted) {
  if (shifted) return {rows_of_channels<T, true>, each_of_row<T, true>};
  return {rows_of_channels<T, false>, each_of_row<T, false>};
}

}  // namespace channels_apart

ChannelLoops<float> channel_loops_f32(bool shifted) { return channels_apart::loops_of<float>(shifted); }
ChannelLoops<double> channel_loops_f64(bool shifted) { return channels_apart::loops_of<double>(shifted); }

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(channel_loops_f32);
HWY_EXPORT(channel_loops_f64);

template <>
ChannelLoops<float> channel_loops(bool shifted) {
  return HWY_DYNAMIC_DISPATCH(channel_loops_f32)(shifted);
}
template <>
ChannelLoops<double> channel_loops(bool shifted) {
  return HWY_DYNAMIC_DISPATCH(channel_loops_f64)(shifted);
}

}  // namespace norn::kernels
#endif
