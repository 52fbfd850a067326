// Weighted sums and maxima of rows for each instruction set.
#include "base/fork.h"
#include "kernels/cpu/roi_align.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/roi_align_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace roi_align_simd_cc {

namespace hn = hwy::HWY_NAMESPACE;

// Calls strip(descriptor, first element) until all n elements are done; the last strip may overlap the one before.
template <class Strip>
HWY_INLINE void in_strips(std::int64_t n, Strip&& strip) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 4> few;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d)), narrow = static_cast<std::int64_t>(hn::Lanes(few));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) strip(d, i);
  if (i < n && n >= lanes) return strip(d, n - lanes);
  for (; i + narrow <= n; i += narrow) strip(few, i);
  if (i < n && n >= narrow) return strip(few, n - narrow);
  for (; i < n; ++i) strip(hn::CappedTag<float, 1>(), i);
}

void region_sums(const float* plane, std::int64_t row, const RegionTap* taps, std::int64_t count, std::int64_t n,
                 float* out) {
  in_strips(n, [&](auto d, std::int64_t i) HWY_ATTR {
    auto sum = hn::Zero(d);
    for (std::int64_t k = 0; k < count; ++k)
      sum = hn::MulAdd(hn::Set(d, taps[k].weight), hn::LoadU(d, plane + taps[k].index * row + i), sum);
    hn::StoreU(sum, d, out + i);
  });
}

bool region_largest(const float* plane, std::int64_t row, const RegionTap* taps, std::int64_t count, std::int64_t n,
                    float* out) {
  bool finite = true;
  in_strips(n, [&](auto d, std::int64_t i) HWY_ATTR {
    const auto of = [&](std::int64_t k) HWY_ATTR { return hn::LoadU(d, plane + taps[k].index * row + i); };
    auto v = of(0);
    auto fault = hn::Sub(v, v);  // stays zero while all is finite: x - x is not a number else
    auto most = hn::Mul(v, hn::Set(d, taps[0].weight));
    for (std::int64_t k = 1; k < count; ++k) {
      v = of(k);
      fault = hn::Add(fault, hn::Sub(v, v));
      most = hn::Max(most, hn::Mul(v, hn::Set(d, taps[k].weight)));
    }
    finite = finite && hn::AllTrue(d, hn::Eq(fault, hn::Zero(d)));
    hn::StoreU(most, d, out + i);
  });
  return finite;
}

RegionLoops make_region_loops() { return {region_sums, region_largest}; }

}  // namespace roi_align_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(make_region_loops);

const RegionLoops& region_loops() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(make_region_loops)(); });
}

}  // namespace norn::kernels
#endif
