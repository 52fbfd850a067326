// Windows of few filters: a vector is of elements of one pixel, not of filters, and its lanes are summed at the end.
#include <algorithm>

#include "base/fork.h"
#include "kernels/cpu/targets.h"
#include "kernels/cpu/windows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/windows_dots_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace windows_dots_simd_cc {
namespace hn = hwy::HWY_NAMESPACE;
using tiles::F, tiles::Few, tiles::V, tiles::Whole, tiles::kSums, tiles::lanes;

// Some pixels from `row` on.
template <int pixels, int filters>
HWY_INLINE void dots(const WindowProduct& p, std::int64_t row) {
  const F d;
  const std::int64_t step = lanes(), whole = p.depth / step, rest = p.depth % step;
  V sums[pixels][filters];  // in registers, as every loop over them is unrolled
#pragma GCC unroll 8
  for (int r = 0; r < pixels; ++r)
#pragma GCC unroll 8
    for (int f = 0; f < filters; ++f) sums[r][f] = hn::Zero(d);
  const auto* w = static_cast<const float*>(p.w);
  const void* const* addresses = p.x + row;
  const Few last(rest);
  for (std::int64_t tap = 0; tap < p.taps; ++tap, addresses += p.x_tap) {
    const float* x[pixels];
    for (int r = 0; r < pixels; ++r) x[r] = static_cast<const float*>(addresses[r]) + p.offset;
    const auto vector = [&](std::int64_t k, const auto& loads) HWY_ATTR {
      V right[filters];
      for (int f = 0; f < filters; ++f, w += step) right[f] = hn::LoadU(d, w);
#pragma GCC unroll 8
      for (int r = 0; r < pixels; ++r) {
        const V left = loads.load(x[r] + k * step);
#pragma GCC unroll 8
        for (int f = 0; f < filters; ++f) sums[r][f] = hn::MulAdd(left, right[f], sums[r][f]);
      }
    };
    for (std::int64_t k = 0; k < whole; ++k) vector(k, Whole());
    if (rest > 0) vector(whole, last);
  }
#pragma GCC unroll 8
  for (int r = 0; r < pixels; ++r)
#pragma GCC unroll 8
    for (int f = 0; f < filters; ++f) {
      float sum = hn::GetLane(hn::SumOfLanes(d, sums[r][f]));
      if (p.bias != nullptr) sum += p.bias[f];
      const std::int64_t at = (row + r) * p.c_row + f;
      if (p.added != nullptr) sum += p.added[at];
      // NaN stays: it is neither less nor more.
      p.c[at] = sum < p.low ? p.low : sum > p.high ? p.high : sum;
    }
}

template <int filters>
HWY_NOINLINE void panel(const WindowProduct& p, std::int64_t rows) {
  constexpr int kMost = std::min(kSums / filters, 8);
  std::int64_t row = 0;
  for (; row + kMost <= rows; row += kMost) dots<kMost, filters>(p, row);
  for (; row + 2 <= rows; row += 2) dots<2, filters>(p, row);
  for (; row < rows; ++row) dots<1, filters>(p, row);
}

void multiply(const WindowProduct& p, std::int64_t rows) {
  static_assert(kMostDotFilters == 4);
  switch (p.columns) {
    case 1: return panel<1>(p, rows);
    case 2: return panel<2>(p, rows);
    case 3: return panel<3>(p, rows);
    default: return panel<4>(p, rows);
  }
}

WindowTable dot_windows() { return {lanes(), kMostDotFilters, multiply, nullptr}; }

}  // namespace windows_dots_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(dot_windows);

const WindowTable& dot_window_table() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(dot_windows)(); });
}

}  // namespace norn::kernels
#endif
