// Double rounded to float for one Highway target. Trap: without vectors, Highway's DemoteTo makes the largest float of
// infinity and of what is beyond the floats.
#if defined(NORN_KERNELS_NARROWING_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORN_KERNELS_NARROWING_INL_H_
#undef NORN_KERNELS_NARROWING_INL_H_
#else
#define NORN_KERNELS_NARROWING_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {

template <class D>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<hwy::HWY_NAMESPACE::Rebind<float, D>> as_floats(D d, hwy::HWY_NAMESPACE::Vec<D> v) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::Rebind<float, D> narrow;
#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR
  HWY_ALIGN double from[hn::MaxLanes(D())];
  HWY_ALIGN float to[hn::MaxLanes(D())];
  hn::Store(v, d, from);
  for (std::size_t i = 0; i < hn::MaxLanes(D()); ++i) to[i] = static_cast<float>(from[i]);
  return hn::Load(narrow, to);
#else
  return hn::DemoteTo(narrow, v);
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#endif
