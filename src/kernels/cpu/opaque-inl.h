// Vectors whose origin compilers are not to see, for one Highway target.
#if defined(NORN_KERNELS_OPAQUE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORN_KERNELS_OPAQUE_INL_H_
#undef NORN_KERNELS_OPAQUE_INL_H_
#else
#define NORN_KERNELS_OPAQUE_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {

// v, in a register: no product behind it becomes one operation with a sum, and no load is made again for each use.
template <class AnyV>
HWY_INLINE AnyV opaque(AnyV v) {
#if HWY_TARGET == HWY_AVX3
  asm("" : "+v"(v.raw));
#elif HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  asm("" : "+x"(v.raw));
#endif
  return v;
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#endif
