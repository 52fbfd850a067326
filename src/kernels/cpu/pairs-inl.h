// Products of pairs of 16-bit integers, added in 32 bits, for one Highway target.
#if defined(NORN_KERNELS_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORN_KERNELS_PAIRS_INL_H_
#undef NORN_KERNELS_PAIRS_INL_H_
#else
#define NORN_KERNELS_PAIRS_INL_H_
#endif

#include "kernels/cpu/math-inl.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {

using D16 = hn::ScalableTag<std::int16_t>;
using V16 = hn::Vec<D16>;

// Lane i is sum[i] + a[2i] b[2i] + a[2i+1] b[2i+1]. Which products ReorderWidenMulAccumulate adds up is known of x86.
HWY_INLINE VI add_pair_products(V16 a, V16 b, VI sum) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128
  VI unused = hn::Zero(I());
  return hn::ReorderWidenMulAccumulate(I(), a, b, sum, unused);
#else
  const auto wide = [](V16 v) { return hn::BitCast(I(), v); };
  const auto low = [&](V16 v) { return hn::ShiftRight<16>(hn::ShiftLeft<16>(wide(v))); };
  const auto high = [&](V16 v) { return hn::ShiftRight<16>(wide(v)); };
  return hn::Add(sum, hn::Add(hn::Mul(low(a), low(b)), hn::Mul(high(a), high(b))));
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();
#endif

#endif
