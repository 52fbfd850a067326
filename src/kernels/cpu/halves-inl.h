// Vectors of f32 from half types and back, for one Highway target; below AVX2 there is no instruction for float16.
#if defined(NORN_KERNELS_HALVES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORN_KERNELS_HALVES_INL_H_
#undef NORN_KERNELS_HALVES_INL_H_
#else
#define NORN_KERNELS_HALVES_INL_H_
#endif

#include "base/number.h"
#include "kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {

// Each with a vector at a time and an element.
struct Float16Vectors {
  static HWY_INLINE V load(const std::uint16_t* p) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
    return hn::PromoteTo(F(), hn::LoadU(hn::Rebind<hwy::float16_t, F>(), reinterpret_cast<const hwy::float16_t*>(p)));
#else
    HWY_ALIGN float wide[HWY_MAX_BYTES / sizeof(float)];
    for (std::int64_t i = 0; i < lane_count(); ++i) wide[i] = one(p[i]);
    return hn::Load(F(), wide);
#endif
  }
  static HWY_INLINE void store(V v, std::uint16_t* p) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
    const hn::Rebind<hwy::float16_t, F> half;
    hn::StoreU(hn::DemoteTo(half, v), half, reinterpret_cast<hwy::float16_t*>(p));
#else
    HWY_ALIGN float wide[HWY_MAX_BYTES / sizeof(float)];
    hn::Store(v, F(), wide);
    for (std::int64_t i = 0; i < lane_count(); ++i) p[i] = one(wide[i]);
#endif
  }
  static float one(std::uint16_t x) { return base::half_to_float(x); }
  static std::uint16_t one(float x) { return base::float_to_half(x); }
};

struct BFloat16Vectors {
  using I16 = hn::Rebind<std::int16_t, F>;

  static HWY_INLINE V load(const std::uint16_t* p) {
    const auto wide = hn::PromoteTo(I(), hn::LoadU(I16(), reinterpret_cast<const std::int16_t*>(p)));
    return hn::BitCast(F(), hn::ShiftLeft<16>(wide));
  }
  static HWY_INLINE void store(V v, std::uint16_t* p) {
    const VI bits = hn::BitCast(I(), v);
    const VI odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(I(), 1));
    const VI rounded = hn::Add(bits, hn::Add(odd, hn::Set(I(), 0x7fff)));
    const VI quiet = hn::Or(bits, hn::Set(I(), 0x400000));
    const VI chosen =
        hn::BitCast(I(), hn::IfThenElse(hn::IsNaN(v), hn::BitCast(F(), quiet), hn::BitCast(F(), rounded)));
    // The upper half is within int16, to which narrowing saturates.
    hn::StoreU(hn::DemoteTo(I16(), hn::ShiftRight<16>(chosen)), I16(), reinterpret_cast<std::int16_t*>(p));
  }
  static float one(std::uint16_t x) { return base::bfloat16_to_float(x); }
  static std::uint16_t one(float x) { return base::float_to_bfloat16(x); }
};

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#endif
