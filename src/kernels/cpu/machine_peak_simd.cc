// Multiply-adds in registers for each instruction set.
#include "base/fork.h"
#include "kernels/cpu/machine_peak.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/machine_peak_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace machine_peak_simd_cc {

// Twelve sums that do not wait for each other hide the latency of a multiply-add where two start in a cycle.
double sums_of_products(long rounds) {
  const F d;
  const V factor = hn::Set(d, 0.999f), term = hn::Set(d, 0.001f);
  V s0 = hn::Set(d, 0.0f), s1 = hn::Set(d, 0.1f), s2 = hn::Set(d, 0.2f), s3 = hn::Set(d, 0.3f), s4 = hn::Set(d, 0.4f),
    s5 = hn::Set(d, 0.5f), s6 = hn::Set(d, 0.6f), s7 = hn::Set(d, 0.7f), s8 = hn::Set(d, 0.8f), s9 = hn::Set(d, 0.9f),
    s10 = hn::Set(d, 1.0f), s11 = hn::Set(d, 1.1f);
  for (long i = 0; i < rounds; ++i) {
    s0 = hn::MulAdd(s0, factor, term), s1 = hn::MulAdd(s1, factor, term), s2 = hn::MulAdd(s2, factor, term);
    s3 = hn::MulAdd(s3, factor, term), s4 = hn::MulAdd(s4, factor, term), s5 = hn::MulAdd(s5, factor, term);
    s6 = hn::MulAdd(s6, factor, term), s7 = hn::MulAdd(s7, factor, term), s8 = hn::MulAdd(s8, factor, term);
    s9 = hn::MulAdd(s9, factor, term), s10 = hn::MulAdd(s10, factor, term), s11 = hn::MulAdd(s11, factor, term);
  }
  const V sum = hn::Add(hn::Add(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)), hn::Add(hn::Add(s4, s5), hn::Add(s6, s7))),
                        hn::Add(hn::Add(s8, s9), hn::Add(s10, s11)));
  // A sum of positive terms: read, so that it is computed.
  const double lanes = static_cast<double>(hn::Lanes(d));
  return hn::GetLane(sum) < 0 ? 0 : 24 * lanes * static_cast<double>(rounds);
}

using Loop = double (*)(long);
Loop product_loop() { return sums_of_products; }

}  // namespace machine_peak_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(product_loop);

double multiply_and_add(long rounds) noexcept {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(product_loop)(); })(rounds);
}

}  // namespace norn::kernels
#endif
