// Half types to and from f32 for each instruction set; below AVX2 there is no instruction for float16.
#include "base/fork.h"
#include "base/number.h"
#include "kernels/cpu/cast.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/cast_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace cast_simd_cc {

using I16 = hn::Rebind<std::int16_t, F>;

void float16_to_float(const std::uint16_t* x, float* out, std::int64_t n) {
  std::int64_t i = 0;
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  const hn::Rebind<hwy::float16_t, F> half;
  for (; i + lane_count() <= n; i += lane_count())
    hn::StoreU(hn::PromoteTo(F(), hn::LoadU(half, reinterpret_cast<const hwy::float16_t*>(x + i))), F(), out + i);
#endif
  for (; i < n; ++i) out[i] = base::half_to_float(x[i]);
}

void float_to_float16(const float* x, std::uint16_t* out, std::int64_t n) {
  std::int64_t i = 0;
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  const hn::Rebind<hwy::float16_t, F> half;
  for (; i + lane_count() <= n; i += lane_count())
    hn::StoreU(hn::DemoteTo(half, hn::LoadU(F(), x + i)), half, reinterpret_cast<hwy::float16_t*>(out + i));
#endif
  for (; i < n; ++i) out[i] = base::float_to_half(x[i]);
}

void bfloat16_to_float(const std::uint16_t* x, float* out, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + lane_count() <= n; i += lane_count()) {
    const auto wide = hn::PromoteTo(I(), hn::LoadU(I16(), reinterpret_cast<const std::int16_t*>(x + i)));
    hn::StoreU(hn::BitCast(F(), hn::ShiftLeft<16>(wide)), F(), out + i);
  }
  for (; i < n; ++i) out[i] = base::bfloat16_to_float(x[i]);
}

void float_to_bfloat16(const float* x, std::uint16_t* out, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + lane_count() <= n; i += lane_count()) {
    const V v = hn::LoadU(F(), x + i);
    const VI bits = hn::BitCast(I(), v);
    const VI odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(I(), 1));
    const VI rounded = hn::Add(bits, hn::Add(odd, hn::Set(I(), 0x7fff)));
    const VI quiet = hn::Or(bits, hn::Set(I(), 0x400000));
    const VI chosen =
        hn::BitCast(I(), hn::IfThenElse(hn::IsNaN(v), hn::BitCast(F(), quiet), hn::BitCast(F(), rounded)));
    // The upper half is within int16, to which narrowing saturates.
    hn::StoreU(hn::DemoteTo(I16(), hn::ShiftRight<16>(chosen)), I16(), reinterpret_cast<std::int16_t*>(out + i));
  }
  for (; i < n; ++i) out[i] = base::float_to_bfloat16(x[i]);
}

HalfTable halves() { return {float16_to_float, bfloat16_to_float, float_to_float16, float_to_bfloat16}; }

}  // namespace cast_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(halves);

const HalfTable& half_table() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(halves)(); });
}

}  // namespace norn::kernels
#endif
