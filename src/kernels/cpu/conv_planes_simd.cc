// Rows of a depthwise convolution for each instruction set: some vectors of one or two at a time, tap after tap.
#include "base/fork.h"
#include "kernels/cpu/conv_planes.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/conv_planes_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace planes {

// Neighbouring taps are vectors that lie across cache lines, all of them if they are as long as a line.
using Half = hn::CappedTag<float, 8>;
using H = hn::Vec<Half>;
constexpr int kVectors = 4;

template <int vectors>
HWY_INLINE void add(const float* x, float weight, H (&sums)[vectors]) {
  const Half d;
  const H w = hn::Set(d, weight);
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v)
    sums[v] = hn::MulAdd(hn::LoadU(d, x + v * static_cast<std::int64_t>(hn::Lanes(d))), w, sums[v]);
}
template <int vectors>
HWY_INLINE void store(const PlaneWindow& window, const H (&sums)[vectors], float* out) {
  const Half d;
  const H low = hn::Set(d, window.low), high = hn::Set(d, window.high);
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) {
    const H above = hn::IfThenElse(hn::Lt(sums[v], low), low, sums[v]);
    hn::StoreU(hn::IfThenElse(hn::Gt(above, high), high, above), d, out + v * static_cast<std::int64_t>(hn::Lanes(d)));
  }
}

template <int vectors, bool two>
HWY_INLINE void columns(const PlaneWindow& window, const float* const* x, std::int64_t first, float* out, float* next) {
  H sums[vectors], below[vectors];
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) sums[v] = below[v] = hn::Set(Half(), window.bias);
  const float *w = window.weights, *above = w;
  for (std::int64_t c = 0; c < window.columns; ++c) add(x[0] + window.at[c] + first, *w++, sums);
  for (std::int64_t r = 1; r < window.rows; ++r)
    for (std::int64_t c = 0; c < window.columns; ++c) {
      const float* const from = x[r] + window.at[c] + first;
      add(from, *w++, sums);
      if constexpr (two) add(from, *above++, below);
    }
  store(window, sums, out + first);
  if constexpr (two) {
    for (std::int64_t c = 0; c < window.columns; ++c) add(x[window.rows] + window.at[c] + first, *above++, below);
    store(window, below, next + first);
  }
}

template <bool two>
HWY_INLINE void over(const PlaneWindow& window, const float* const* x, std::int64_t n, float* out, float* next) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Half()));
  std::int64_t at = 0;
  for (; at + kVectors * lanes <= n; at += kVectors * lanes) columns<kVectors, two>(window, x, at, out, next);
  const std::int64_t rest = (n - at) / lanes;
  if (rest == 3) columns<3, two>(window, x, at, out, next);
  if (rest == 2) columns<2, two>(window, x, at, out, next);
  if (rest == 1) columns<1, two>(window, x, at, out, next);
  if (n % lanes != 0) columns<1, two>(window, x, n - lanes, out, next);  // some once more
}

void row(const PlaneWindow& window, const float* const* x, std::int64_t n, float* out) {
  over<false>(window, x, n, out, nullptr);
}
void rows(const PlaneWindow& window, const float* const* x, std::int64_t n, float* out, float* next) {
  over<true>(window, x, n, out, next);
}

}  // namespace planes

PlaneConvTable make_plane_conv_table() { return {planes::row, planes::rows}; }

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(make_plane_conv_table);

const PlaneConvTable& plane_conv_table() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(make_plane_conv_table)(); });
}

}  // namespace norn::kernels
#endif
