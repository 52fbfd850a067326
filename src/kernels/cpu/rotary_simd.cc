// Rotations of pairs for each instruction set.
#include <algorithm>

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
struct Rotated {
  using T = typename H::Stored;
  V one, other;
  // Of the pairs from x on, whose elements are `apart` apart unless they are neighbours.
  HWY_INLINE Rotated(const T* x, std::int64_t apart, const T* cosines, const T* sines) {
    V a, b;
    if constexpr (interleaved) {
      H::load_pairs(x, a, b);
    } else {
      a = H::load(x);
      b = H::load(x + apart);
    }
    const V c = H::load(cosines), s = H::load(sines);
    one = hn::NegMulAdd(s, b, hn::Mul(c, a));
    other = hn::MulAdd(s, a, hn::Mul(c, b));
  }
  HWY_INLINE void store(T* out, std::int64_t apart) const {
    if constexpr (interleaved) {
      H::store_pairs(one, other, out);
    } else {
      H::store(one, out);
      H::store(other, out + apart);
    }
  }
};

// Fewer pairs than a vector has.
template <class H, bool interleaved>
HWY_INLINE void rotate_few(const typename H::Stored* x, const typename H::Stored* cosines,
                           const typename H::Stored* sines, typename H::Stored* out, std::int64_t n) {
  constexpr std::size_t kLanes = HWY_MAX_BYTES / sizeof(float);
  typename H::Stored pairs[2 * kLanes] = {}, c[kLanes] = {}, s[kLanes] = {};
  const std::int64_t apart = lane_count();
  const auto move = [&](const auto* from, auto* to, [[maybe_unused]] std::int64_t from_apart,
                        [[maybe_unused]] std::int64_t to_apart) HWY_ATTR {
    if constexpr (interleaved) {
      std::copy_n(from, 2 * n, to);
    } else {
      std::copy_n(from, n, to);
      std::copy_n(from + from_apart, n, to + to_apart);
    }
  };
  move(x, pairs, n, apart);
  std::copy_n(cosines, n, c);
  std::copy_n(sines, n, s);
  Rotated<H, interleaved>(pairs, apart, c, s).store(pairs, apart);
  move(pairs, out, apart, n);
}

// The last vector begins where it ends with the head, and is computed first, as the output may lie over x.
template <class H, bool interleaved>
void rotate(const void* from, const void* cosine_row, const void* sine_row, void* to, std::int64_t n) {
  using T = typename H::Stored;
  const auto *x = static_cast<const T*>(from), *cosines = static_cast<const T*>(cosine_row),
             *sines = static_cast<const T*>(sine_row);
  T* out = static_cast<T*>(to);
  const std::int64_t lanes = lane_count(), step = interleaved ? 2 : 1, last = n - lanes;
  if (last < 0) return rotate_few<H, interleaved>(x, cosines, sines, out, n);
  const Rotated<H, interleaved> end(x + last * step, n, cosines + last, sines + last);
  for (std::int64_t i = 0; i < last; i += lanes)
    Rotated<H, interleaved>(x + i * step, n, cosines + i, sines + i).store(out + i * step, n);
  end.store(out + last * step, n);
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
