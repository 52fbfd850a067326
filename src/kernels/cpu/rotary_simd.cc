// Rotations of pairs for each instruction set.
#include "base/fork.h"
#include "kernels/cpu/rotary.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/rotary_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace rotary_simd_cc {

HWY_INLINE std::int64_t rotary_lanes() { return static_cast<std::int64_t>(hn::Lanes(F())); }

void rotate_halves(const float* x, const float* cosines, const float* sines, float* out, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + rotary_lanes() <= n; i += rotary_lanes()) {
    const V a = hn::LoadU(F(), x + i), b = hn::LoadU(F(), x + n + i);
    const V c = hn::LoadU(F(), cosines + i), s = hn::LoadU(F(), sines + i);
    hn::StoreU(hn::NegMulAdd(s, b, hn::Mul(c, a)), F(), out + i);
    hn::StoreU(hn::MulAdd(s, a, hn::Mul(c, b)), F(), out + n + i);
  }
  for (; i < n; ++i) {
    const float a = x[i], b = x[n + i];
    out[i] = cosines[i] * a - sines[i] * b;
    out[n + i] = sines[i] * a + cosines[i] * b;
  }
}

void rotate_neighbours(const float* x, const float* cosines, const float* sines, float* out, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + rotary_lanes() <= n; i += rotary_lanes()) {
    V a, b;
    hn::LoadInterleaved2(F(), x + 2 * i, a, b);
    const V c = hn::LoadU(F(), cosines + i), s = hn::LoadU(F(), sines + i);
    hn::StoreInterleaved2(hn::NegMulAdd(s, b, hn::Mul(c, a)), hn::MulAdd(s, a, hn::Mul(c, b)), F(), out + 2 * i);
  }
  for (; i < n; ++i) {
    const float a = x[2 * i], b = x[2 * i + 1];
    out[2 * i] = cosines[i] * a - sines[i] * b;
    out[2 * i + 1] = sines[i] * a + cosines[i] * b;
  }
}

RotaryTable rotations() { return {rotate_halves, rotate_neighbours}; }

}  // namespace rotary_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(rotations);

const RotaryTable& rotary_table() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(rotations)(); });
}

}  // namespace norn::kernels
#endif
