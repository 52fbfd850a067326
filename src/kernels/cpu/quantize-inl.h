// What runs of quantisation share for one Highway target.
#if defined(NORN_KERNELS_QUANTIZE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORN_KERNELS_QUANTIZE_INL_H_
#undef NORN_KERNELS_QUANTIZE_INL_H_
#else
#define NORN_KERNELS_QUANTIZE_INL_H_
#endif

#include "kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
using U32 = hn::RebindToUnsigned<F>;

// `low` if x is NaN.
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
HWY_INLINE V at_least_or(V low, V x) { return hn::Max(x, low); }
#else
HWY_INLINE V at_least_or(V low, V x) { return hn::IfThenElse(hn::Gt(x, low), x, low); }
#endif

// A quotient between integers `low` and `high`, of which NaN becomes `low`, rounded to even, plus `zero`, in the low 16
// bits: rounding is what adding a number does whose last place is 1, and whose low bits are 0.
HWY_INLINE hn::Vec<U32> rounded_bits(V quotient, V low, V high, VI zero) {
  const V v = hn::Min(high, at_least_or(low, quotient));
  const VI bits = hn::BitCast(I(), hn::Add(v, constant(12582912.0f)));
  return hn::BitCast(U32(), hn::Add(bits, zero));
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#endif
