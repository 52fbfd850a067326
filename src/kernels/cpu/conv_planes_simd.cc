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

// `kColumns` neighbours in a row of the window, or as many as it has.
template <int vectors, bool two, int kColumns>
HWY_INLINE void columns(const PlaneWindow& window, const float* const* x, std::int64_t first, float* out, float* next) {
  const std::int64_t count = kColumns == 0 ? window.columns : kColumns, apart = kColumns == 0 ? window.apart : 1;
  H sums[vectors], below[vectors];
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) sums[v] = below[v] = hn::Set(Half(), window.bias);
  const float *w = window.weights, *above = w;
  const auto row = [&](const float* from, const auto& take) HWY_ATTR {
#pragma GCC unroll 7
    for (std::int64_t c = 0; c < count; ++c) take(from + c * apart, c);
  };
  row(x[0] + first, [&](const float* from, std::int64_t c) HWY_ATTR { add(from, w[c], sums); });
  w += count;
  for (std::int64_t r = 1; r < window.rows; ++r, w += count, above += count)
    row(x[r] + first, [&](const float* from, std::int64_t c) HWY_ATTR {
      add(from, w[c], sums);
      if constexpr (two) add(from, above[c], below);
    });
  store(window, sums, out + first);
  if constexpr (two) {
    row(x[window.rows] + first, [&](const float* from, std::int64_t c) HWY_ATTR { add(from, above[c], below); });
    store(window, below, next + first);
  }
}

template <bool two, int kColumns>
void over(const PlaneWindow& window, const float* const* x, std::int64_t n, float* out, float* next) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Half()));
  std::int64_t at = 0;
  for (; at + kVectors * lanes <= n; at += kVectors * lanes) columns<kVectors, two, kColumns>(window, x, at, out, next);
  if (at == n) return;
  // What is left goes with some once more, as far as there are so many.
  std::int64_t rest = (n - at + lanes - 1) / lanes;
  const bool fits = rest * lanes <= n;
  if (fits)
    at = n - rest * lanes;
  else
    --rest;
  if (rest == 4) columns<4, two, kColumns>(window, x, at, out, next);
  if (rest == 3) columns<3, two, kColumns>(window, x, at, out, next);
  if (rest == 2) columns<2, two, kColumns>(window, x, at, out, next);
  if (rest == 1) columns<1, two, kColumns>(window, x, at, out, next);
  if (!fits) columns<1, two, kColumns>(window, x, n - lanes, out, next);
}
template <bool two>
void over(const PlaneWindow& window, const float* const* x, std::int64_t n, float* out, float* next) {
  const std::int64_t neighbours = window.apart == 1 ? window.columns : 0;
  if (neighbours == 3) return over<two, 3>(window, x, n, out, next);
  if (neighbours == 5) return over<two, 5>(window, x, n, out, next);
  if (neighbours == 7) return over<two, 7>(window, x, n, out, next);
  over<two, 0>(window, x, n, out, next);
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
