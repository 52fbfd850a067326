// One bin of a region, channels in the lanes, for each instruction set.
#include "kernels/cpu/roi_align.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/roi_align_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace regions {

namespace hn = hwy::HWY_NAMESPACE;

// Calls f(d, c) for vectors of channels from c on, of which the last may overlap the one before it; of single channels
// if there are less than a vector has.
template <class F>
HWY_INLINE void over_channels(std::int64_t first, std::int64_t channels, F&& f) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (channels < lanes) {
    const hn::CappedTag<float, 1> one;
    for (std::int64_t c = first; c < channels; ++c) f(one, c);
    return;
  }
  for (std::int64_t c = first; c < channels; c += lanes) f(d, c + lanes <= channels ? c : channels - lanes);
}

void sum(const float* image, std::span<const RoiTap> down, std::span<const RoiTap> across, std::int64_t channels,
         float* out) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t c = 0;
  for (; c + 4 * lanes <= channels; c += 4 * lanes) {
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    for (const RoiTap& y : down) {
      const float* const row = image + y.at + c;
      for (const RoiTap& x : across) {
        const auto weight = hn::Set(d, y.weight * x.weight);
        const float* const from = row + x.at;
        s0 = hn::MulAdd(weight, hn::LoadU(d, from), s0);
        s1 = hn::MulAdd(weight, hn::LoadU(d, from + lanes), s1);
        s2 = hn::MulAdd(weight, hn::LoadU(d, from + 2 * lanes), s2);
        s3 = hn::MulAdd(weight, hn::LoadU(d, from + 3 * lanes), s3);
      }
    }
    hn::StoreU(s0, d, out + c);
    hn::StoreU(s1, d, out + c + lanes);
    hn::StoreU(s2, d, out + c + 2 * lanes);
    hn::StoreU(s3, d, out + c + 3 * lanes);
  }
  over_channels(c, channels, [&](auto tag, std::int64_t at) HWY_ATTR {
    auto s = hn::Zero(tag);
    for (const RoiTap& y : down)
      for (const RoiTap& x : across)
        s = hn::MulAdd(hn::Set(tag, y.weight * x.weight), hn::LoadU(tag, image + y.at + x.at + at), s);
    hn::StoreU(s, tag, out + at);
  });
}

// NaN stays, whatever comes behind it.
template <class V>
HWY_INLINE V greater(V best, V v) {
  return hn::IfThenElse(hn::Or(hn::Gt(v, best), hn::IsNaN(v)), v, best);
}
void greatest(const float* image, std::span<const RoiSample> down, std::span<const RoiSample> across, float least,
              std::int64_t channels, float* out) {
  over_channels(0, channels, [&](auto d, std::int64_t c) HWY_ATTR {
    auto best = hn::Set(d, least);
    for (const RoiSample& y : down) {
      const float *const low = image + y.low + c, *const high = image + y.high + c;
      for (const RoiSample& x : across) {
        best = greater(best, hn::Mul(hn::Set(d, y.low_weight * x.low_weight), hn::LoadU(d, low + x.low)));
        best = greater(best, hn::Mul(hn::Set(d, y.low_weight * x.high_weight), hn::LoadU(d, low + x.high)));
        best = greater(best, hn::Mul(hn::Set(d, y.high_weight * x.low_weight), hn::LoadU(d, high + x.low)));
        best = greater(best, hn::Mul(hn::Set(d, y.high_weight * x.high_weight), hn::LoadU(d, high + x.high)));
      }
    }
    hn::StoreU(best, d, out + c);
  });
}

}  // namespace regions

RoiLoops find_roi_loops() { return {regions::sum, regions::greatest}; }

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(find_roi_loops);

RoiLoops roi_loops() { return HWY_DYNAMIC_DISPATCH(find_roi_loops)(); }

}  // namespace norn::kernels
#endif
