// Layer normalisation of rows of double for each instruction set: plain loops, which the compiler vectorises.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/cpu/double_norm.h"
#include "kernels/cpu/plain_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/double_norm_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace double_norms {

template <bool rounds>
HWY_INLINE double value_of(double x) {
  return rounds ? static_cast<double>(static_cast<float>(x)) : x;
}

// The sum of the row, or of the squares of its distances from `mean`.
template <bool squares, bool rounds>
HWY_INLINE double total(const double* x, std::int64_t n, double mean) {
  constexpr std::int64_t kLanes = 32;
  const auto term = [mean](double value) {
    const double v = value_of<rounds>(value);
    return squares ? (v - mean) * (v - mean) : v;
  };
  double sums[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (std::int64_t l = 0; l < kLanes; ++l) sums[l] += term(x[i + l]);
  for (std::int64_t l = 0; i < n; ++i, ++l) sums[l] += term(x[i]);
  for (std::int64_t half = kLanes / 2; half > 0; half /= 2)
    for (std::int64_t l = 0; l < half; ++l) sums[l] += sums[l + half];
  return sums[0];
}

template <bool root_mean_square, bool rounds>
void row(const double* x, const double* scale, const double* bias, double* out, std::int64_t n, double epsilon) {
  const auto count = static_cast<double>(n);
  const double mean = root_mean_square ? 0.0 : total<false, rounds>(x, n, 0.0) / count;
  const double inverse = 1 / std::sqrt(total<true, rounds>(x, n, mean) / count + epsilon);
  // Through a block of its own, as the compiler cannot know how x and the output lie.
  constexpr std::int64_t kBlock = 128;
  double block[kBlock];
  for (std::int64_t at = 0; at < n; at += kBlock) {
    const std::int64_t m = std::min(kBlock, n - at);
    for (std::int64_t i = 0; i < m; ++i) block[i] = (value_of<rounds>(x[at + i]) - mean) * inverse;
    if (scale)
      for (std::int64_t i = 0; i < m; ++i) block[i] *= scale[at + i];
    if (bias)
      for (std::int64_t i = 0; i < m; ++i) block[i] += bias[at + i];
    std::memcpy(out + at, block, static_cast<std::size_t>(m) * sizeof(double));
  }
}

}  // namespace double_norms

DoubleNormLoop double_norm_of(bool root_mean_square, bool rounds_to_float) {
  using namespace double_norms;
  if (root_mean_square) return rounds_to_float ? row<true, true> : row<true, false>;
  return rounds_to_float ? row<false, true> : row<false, false>;
}

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(double_norm_of);
DoubleNormLoop double_norm_loop(bool root_mean_square, bool rounds_to_float) {
  return HWY_DYNAMIC_DISPATCH(double_norm_of)(root_mean_square, rounds_to_float);
}

}  // namespace norn::kernels
#endif
