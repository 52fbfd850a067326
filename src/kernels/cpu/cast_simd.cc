// Half types to and from f32 for each instruction set.
#include <cstring>

#include "base/fork.h"
#include "kernels/cpu/cast.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/cast_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/halves-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace cast_simd_cc {

// A rest is done as a vector of its own: software takes longer for each of its elements.
constexpr std::size_t kHalvesOfVector = HWY_MAX_BYTES / sizeof(float);
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
constexpr bool kConvertsHalves = true;
#else
constexpr bool kConvertsHalves = false;
#endif

template <class H>
void widen(const std::uint16_t* x, float* out, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + lane_count() <= n; i += lane_count()) hn::StoreU(H::load(x + i), F(), out + i);
  if constexpr (kConvertsHalves) {
    if (i == n) return;
    std::uint16_t rest[kHalvesOfVector] = {};
    std::memcpy(rest, x + i, static_cast<std::size_t>(n - i) * sizeof *x);
    return store_tail(H::load(rest), out + i, n - i);
  }
  for (; i < n; ++i) out[i] = H::one(x[i]);
}

template <class H>
void narrow(const float* x, std::uint16_t* out, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + lane_count() <= n; i += lane_count()) H::store(hn::LoadU(F(), x + i), out + i);
  if constexpr (kConvertsHalves) {
    if (i == n) return;
    std::uint16_t rest[kHalvesOfVector];
    H::store(load_tail(x + i, n - i, 0.0f), rest);
    std::memcpy(out + i, rest, static_cast<std::size_t>(n - i) * sizeof *out);
    return;
  }
  for (; i < n; ++i) out[i] = H::one(x[i]);
}

HalfTable halves() {
  return {widen<Float16Vectors>, widen<BFloat16Vectors>, narrow<Float16Vectors>, narrow<BFloat16Vectors>};
}

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
