// Rotations of pairs for each instruction set.
#include "kernels/cpu/rotary.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/rotary_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/halves-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace rotary_simd_cc {

struct FloatVectors {
  using Stored = float;
  static HWY_INLINE V load(const float* p) { return hn::LoadU(F(), p); }
  static HWY_INLINE void store(V v, float* p) { hn::StoreU(v, F(), p); }
  static HWY_INLINE void load_pairs(const float* p, V& a, V& b) { hn::LoadInterleaved2(F(), p, a, b); }
  static HWY_INLINE void store_pairs(V a, V b, float* p) { hn::StoreInterleaved2(a, b, F(), p); }
  static float one(float v) { return v; }
};
template <class H>
struct HalfVectors : H {
  using Stored = std::uint16_t;
  static HWY_INLINE void load_pairs(const std::uint16_t* p, V& a, V& b) {
    HWY_ALIGN float wide[2 * HWY_MAX_BYTES / sizeof(float)];
    hn::Store(H::load(p), F(), wide);
    hn::Store(H::load(p + lane_count()), F(), wide + lane_count());
    hn::LoadInterleaved2(F(), wide, a, b);
  }
  static HWY_INLINE void store_pairs(V a, V b, std::uint16_t* p) {
    HWY_ALIGN float wide[2 * HWY_MAX_BYTES / sizeof(float)];
    hn::StoreInterleaved2(a, b, F(), wide);
    H::store(hn::Load(F(), wide), p);
    H::store(hn::Load(F(), wide + lane_count()), p + lane_count());
  }
};

template <class H, bool interleaved>
void rotate(const void* from, const void* cosine_row, const void* sine_row, void* to, std::int64_t n) {
  using T = typename H::Stored;
  const auto *x = static_cast<const T*>(from), *cosines = static_cast<const T*>(cosine_row),
             *sines = static_cast<const T*>(sine_row);
  T* out = static_cast<T*>(to);
  // The elements of pair i, so many apart.
  const std::int64_t pair = interleaved ? 2 : 1, apart = interleaved ? 1 : n, lanes = lane_count();
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    V a, b;
    if constexpr (interleaved) {
      H::load_pairs(x + 2 * i, a, b);
    } else {
      a = H::load(x + i);
      b = H::load(x + n + i);
    }
    const V c = H::load(cosines + i), s = H::load(sines + i);
    const V one = hn::NegMulAdd(s, b, hn::Mul(c, a)), other = hn::MulAdd(s, a, hn::Mul(c, b));
    if constexpr (interleaved) {
      H::store_pairs(one, other, out + 2 * i);
    } else {
      H::store(one, out + i);
      H::store(other, out + n + i);
    }
  }
  for (; i < n; ++i) {
    const float a = H::one(x[i * pair]), b = H::one(x[i * pair + apart]);
    const float c = H::one(cosines[i]), s = H::one(sines[i]);
    out[i * pair] = H::one(c * a - s * b);
    out[i * pair + apart] = H::one(s * a + c * b);
  }
}

template <class H>
Rotation rotation_of_form(bool interleaved) {
  return interleaved ? rotate<H, true> : rotate<H, false>;
}
Rotation rotation_of(DataType type, bool interleaved) {
  switch (type) {
    case DataType::Float16: return rotation_of_form<HalfVectors<Float16Vectors>>(interleaved);
    case DataType::BFloat16: return rotation_of_form<HalfVectors<BFloat16Vectors>>(interleaved);
    default: return rotation_of_form<FloatVectors>(interleaved);
  }
}

}  // namespace rotary_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(rotation_of);

Rotation rotation(DataType type, bool interleaved) { return HWY_DYNAMIC_DISPATCH(rotation_of)(type, interleaved); }

}  // namespace norn::kernels
#endif
