// Weighted sums of gathered elements for each instruction set.
#include "kernels/cpu/grid_sample.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/grid_sample_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace grids {

namespace hn = hwy::HWY_NAMESPACE;

template <class T, class Place>
void sample(const T* plane, const Place* places, const T* weights, std::int64_t taps, T* out, std::int64_t n) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    auto sum = hn::Zero(d);
    for (std::int64_t t = 0; t < taps; ++t) {
      const auto weight = hn::LoadU(d, weights + t * kGridBlock + i);
      const auto v = hn::GatherIndex(d, plane, hn::LoadU(di, places + t * kGridBlock + i));
      sum = hn::Add(sum, hn::IfThenZeroElse(hn::Eq(weight, hn::Zero(d)), hn::Mul(v, weight)));
    }
    hn::StoreU(sum, d, out + i);
  }
  for (; i < n; ++i) {
    T sum = 0;
    for (std::int64_t t = 0; t < taps; ++t) {
      const T weight = weights[t * kGridBlock + i];
      sum += weight == 0 ? T{0} : plane[places[t * kGridBlock + i]] * weight;
    }
    out[i] = sum;
  }
}

}  // namespace grids

GridLoop<float, std::int32_t> find_grid_loop_f32() { return grids::sample<float, std::int32_t>; }
GridLoop<double, std::int64_t> find_grid_loop_f64() { return grids::sample<double, std::int64_t>; }

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(find_grid_loop_f32);
HWY_EXPORT(find_grid_loop_f64);

GridLoop<float, std::int32_t> grid_loop_f32() { return HWY_DYNAMIC_DISPATCH(find_grid_loop_f32)(); }
GridLoop<double, std::int64_t> grid_loop_f64() { return HWY_DYNAMIC_DISPATCH(find_grid_loop_f64)(); }

}  // namespace norn::kernels
#endif
