// Planes for each instruction set: the mean, then the squares of what remains, then the result, in f32. Sums go in
// stretches, so that the error of a sum grows with the root of its length at most.
#include <cmath>
#include <cstdint>

#include "base/fork.h"
#include "kernels/cpu/plane_norm.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/plane_norm_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace plane_norm_simd_cc {

constexpr std::int64_t kPlaneStretch = 4096;  // elements

// The sum of (x - from), or of its squares, over a plane.
template <bool squares>
double plane_sum(const float* x, std::int64_t n, float from) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(F()));
  const V base = constant(from);
  const auto add = [&](V sum, V v) HWY_ATTR {
    const V c = hn::Sub(v, base);
    return squares ? hn::MulAdd(c, c, sum) : hn::Add(sum, c);
  };
  double total = 0;
  for (std::int64_t begin = 0; begin < n; begin += kPlaneStretch) {
    const std::int64_t end = n - begin < kPlaneStretch ? n : begin + kPlaneStretch;
    V s0 = hn::Zero(F()), s1 = s0, s2 = s0, s3 = s0;
    std::int64_t i = begin;
    for (; i + 4 * lanes <= end; i += 4 * lanes) {
      s0 = add(s0, hn::LoadU(F(), x + i));
      s1 = add(s1, hn::LoadU(F(), x + i + lanes));
      s2 = add(s2, hn::LoadU(F(), x + i + 2 * lanes));
      s3 = add(s3, hn::LoadU(F(), x + i + 3 * lanes));
    }
    for (; i + lanes <= end; i += lanes) s0 = add(s0, hn::LoadU(F(), x + i));
    if (i < end) s1 = add(s1, load_tail(x + i, end - i, from));
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(F(), hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)))));
  }
  return total;
}

void normalize_one_plane(const float* x, float* out, std::int64_t n, float epsilon, float scale, float bias) {
  const auto count = static_cast<double>(n);
  const auto mean = static_cast<float>(plane_sum<false>(x, n, 0.0f) / count);
  const double variance = plane_sum<true>(x, n, mean) / count;
  const auto factor =
      static_cast<float>(static_cast<double>(scale) / std::sqrt(variance + static_cast<double>(epsilon)));
  const V base = constant(mean), by = constant(factor), shift = constant(bias);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(F()));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(hn::MulAdd(hn::Sub(hn::LoadU(F(), x + i), base), by, shift), F(), out + i);
  if (i < n) store_tail(hn::MulAdd(hn::Sub(load_tail(x + i, n - i, 0.0f), base), by, shift), out + i, n - i);
}

NormalizePlane plane_loop() { return normalize_one_plane; }

}  // namespace plane_norm_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(plane_loop);

NormalizePlane normalize_plane() { return HWY_DYNAMIC_DISPATCH(plane_loop)(); }

}  // namespace norn::kernels
#endif
