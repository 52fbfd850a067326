// One box beside many, for each instruction set. Compiled without contraction: whether an overlap is exactly the
// threshold depends on every rounding.
#include "kernels/cpu/suppression.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/suppression_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace suppression {

namespace hn = hwy::HWY_NAMESPACE;

// A share above the threshold t, rounded or not, is of a common area c and an area a of both with c > t a, so that c
// is at least t a, rounded. Few boxes pass that, and only these are divided.
bool any_overlaps(const BoxChains& chains, const std::int32_t* first, std::int64_t count, const PlainBox& box,
                  float threshold) {
  const hn::CappedTag<float, BoxChunk::kBoxes> d;
  constexpr auto kLanes = static_cast<int>(hn::MaxLanes(d));
  const auto left = hn::Set(d, box.left), top = hn::Set(d, box.top), right = hn::Set(d, box.right),
             bottom = hn::Set(d, box.bottom), area = hn::Set(d, box.area()), least = hn::Set(d, threshold);
  const auto zero = hn::Zero(d);
  const auto meets = [&](const BoxChunk& c) HWY_ATTR {
    for (int i = 0; i < BoxChunk::kBoxes; i += kLanes) {
      const auto l = hn::Load(d, c.left + i), t = hn::Load(d, c.top + i), r = hn::Load(d, c.right + i),
                 b = hn::Load(d, c.bottom + i);
      const auto width = hn::Sub(hn::Min(right, r), hn::Max(left, l));
      const auto height = hn::Sub(hn::Min(bottom, b), hn::Max(top, t));
      const auto common = hn::Mul(hn::Max(width, zero), hn::Max(height, zero));
      const auto all = hn::Sub(hn::Add(area, hn::Mul(hn::Sub(r, l), hn::Sub(b, t))), common);
      const auto may = hn::And(hn::Gt(common, zero), hn::Ge(common, hn::Mul(least, all)));
      if (hn::AllFalse(d, may)) [[likely]]
        continue;
      const auto does = hn::And(hn::Gt(all, zero), hn::Gt(hn::Div(common, all), least));
      if (!hn::AllFalse(d, hn::And(may, does))) return true;
    }
    return false;
  };
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int32_t k = first[i]; k >= 0; k = chains.next[k])
      if (meets(chains.chunks[k])) return true;
  return false;
}

}  // namespace suppression

OverlapLoop find_overlap_loop() { return suppression::any_overlaps; }

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(find_overlap_loop);

OverlapLoop overlap_loop() { return HWY_DYNAMIC_DISPATCH(find_overlap_loop)(); }

}  // namespace norn::kernels
#endif
