// Products of few pixels with panels of weights, and depthwise sums of pixels side by side, with bias and bounds before
// anything is stored. The order of additions is that of the operands, whatever is computed together.
#include <algorithm>

#include "base/division.h"
#include "base/fork.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/separable.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/separable_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace separable_simd_cc {
namespace hn = hwy::HWY_NAMESPACE;
using tiles::Ahead, tiles::F, tiles::Few, tiles::Fetch, tiles::fetch, tiles::is_bounded, tiles::Whole, tiles::V,
    tiles::kMostRows, tiles::kSums, tiles::kVectors, tiles::lanes, tiles::within;

// One form less to compile: an additional load in each step of the sums had no measurable cost.
constexpr bool kAlwaysFetches = HWY_MAX_BYTES < 64;
// Steps of the sums in one turn of their loop, whose own additions and comparisons take the places of products.
constexpr int kUnroll = 2;
// Of what a tile stores and adds, at a time between its sums: all at once they would hold up what the sums read.
constexpr int kFetchedRows = 2;
constexpr int kPixels = HWY_MAX_BYTES >= 64 ? 8 : 4;  // of a depthwise convolution at a time

template <bool bounded>
HWY_INLINE V bounded_if(V low, V high, V v) {
  return bounded ? within(low, high, v) : v;
}

struct Target : tiles::Target {
  Upcoming next;
  bool fetches_rows;  // of c and `added`, which are too short for the hardware to see a pattern
};

// Sums stay in registers from the first to the last: every loop over them has constant bounds and no branch within.
// `fetches`: what `to.next` points to, and panels need not be as wide as their vectors.
template <int rows, int vectors, Fetch fetches>
HWY_INLINE void tile(std::int64_t k, const float* a, std::int64_t a_row, const float* b, std::int64_t b_row,
                     const Target& to, Ahead& ahead) {
  const F d;
  const std::int64_t w = lanes();
  V sums[rows][vectors];
  tiles::start(to, sums);
  const char* next = ahead.at;
  const float* x[rows];  // by which the compiler finds the same address in the next step
  for (int r = 0; r < rows; ++r) x[r] = a + r * a_row;
  if constexpr (fetches == Fetch::None) b_row = vectors * w;
  const auto step = [&](const float* right_at, std::int64_t i) HWY_ATTR {
    V right[vectors];
    for (int v = 0; v < vectors; ++v) right[v] = hn::LoadU(d, right_at + v * w);
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r) {
      const V left = hn::Set(d, x[r][i]);
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) sums[r][v] = hn::MulAdd(left, right[v], sums[r][v]);
    }
  };
  std::int64_t i = 0;
  for (int first = to.fetches_rows ? 0 : rows; first <= rows; first += kFetchedRows) {
    for (int r = first; r < std::min(first + kFetchedRows, rows); ++r)
      for (int v = 0; v < vectors; ++v) {
        if (to.added != nullptr) __builtin_prefetch(to.added + r * to.c_row + v * w, 0);
        __builtin_prefetch(to.c + r * to.c_row + v * w, 1);
      }
    const std::int64_t end = first + kFetchedRows < rows ? k / rows * (first + kFetchedRows) : k;
    for (; i + kUnroll <= end; i += kUnroll, b += kUnroll * b_row) {
      if constexpr (fetches == Fetch::Line && vectors == kVectors) {
        __builtin_prefetch(next, 0, 2);
        next += kUnroll * ahead.step;
      }
#pragma GCC unroll 4
      for (int u = 0; u < kUnroll; ++u) {
        if constexpr (fetches == Fetch::Lines && vectors == kVectors) next = fetch(next, ahead.step);
        step(b + u * b_row, i + u);
      }
    }
  }
  for (; i < k; ++i, b += b_row) step(b, i);
  ahead.at = next;
  tiles::finish(to, sums);
}

// As many rows at a time as leave the sums in registers, then fewer.
template <int vectors, Fetch fetches>
HWY_NOINLINE void panel(std::int64_t m, std::int64_t k, const float* a, std::int64_t a_row, const float* b,
                        std::int64_t b_row, Target to, Ahead ahead) {
  constexpr int kMost = kMostRows<vectors>;
  const auto go = [&]<int rows>() {
    // Two rows or one of two vectors would be too few sums to be added without waiting: four and four or four and three
    // are left instead.
    constexpr int kLeft = kVectors > 2 || rows < 5 ? 0 : rows == 5 ? kMost : 3;
    for (; m == rows || m >= rows + kLeft; m -= rows, a += rows * a_row) {
      tile<rows, vectors, fetches>(k, a, a_row, b, b_row, to, ahead);
      to.c += rows * to.c_row;
      if (to.added != nullptr) to.added += rows * to.c_row;
    }
  };
  go.template operator()<kMost>();
  if constexpr (kMost > 6) go.template operator()<6>();
  if constexpr (kMost > 5) go.template operator()<5>();
  if constexpr (kMost > 4) go.template operator()<4>();
  if constexpr (kMost > 3) go.template operator()<3>();
  go.template operator()<2>();
  go.template operator()<1>();
}

// One panel, of which `vectors` hold the columns.
template <bool fetches>
void any_panel(std::int64_t vectors, std::int64_t m, std::int64_t k, const float* a, std::int64_t a_row, const float* b,
               std::int64_t b_row, const Target& to) {
  const auto run = [&]<int count>() {
    if constexpr (!fetches) {
      panel<count, Fetch::None>(m, k, a, a_row, b, b_row, to, {});
    } else {
      Ahead ahead{reinterpret_cast<const char*>(b), 0};
      const std::int64_t tiles = base::quotient_up(m, kMostRows<count>);
      if (to.next.at != nullptr && tiles > 1) ahead = Ahead::of(to.next.at, to.next.bytes, tiles, k);
      if constexpr (count == kVectors && !kAlwaysFetches)
        if (fetch_of(ahead, kUnroll) == Fetch::Line)
          return panel<count, Fetch::Line>(m, k, a, a_row, b, b_row, to, ahead);
      panel<count, Fetch::Lines>(m, k, a, a_row, b, b_row, to, ahead);
    }
  };
  if (vectors == 1) run.template operator()<1>();
  if (vectors == 2) run.template operator()<2>();
  if constexpr (kVectors > 2) {
    if (vectors == 3) run.template operator()<3>();
    if (vectors == 4) run.template operator()<4>();
  }
}
std::int64_t vectors_of(std::int64_t n) { return std::min<std::int64_t>(kVectors, (n + lanes() - 1) / lanes()); }

void multiply_panels(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t a_row, const float* b,
                     Target to) {
  const Upcoming behind = to.next;
  while (n > 0) {
    const std::int64_t vectors = vectors_of(n), width = vectors * lanes();
    to.columns = n;
    to.next = n <= width      ? behind
              : behind.panels ? Upcoming{b + width * k, width * k * static_cast<std::int64_t>(sizeof(float))}
                              : Upcoming{};
    if (to.next.at != nullptr || kAlwaysFetches)
      any_panel<true>(vectors, m, k, a, a_row, b, width, to);
    else if constexpr (!kAlwaysFetches)
      any_panel<false>(vectors, m, k, a, a_row, b, width, to);
    b += width * k;
    n -= width;
    to.c += width;
    if (to.bias != nullptr) to.bias += width;
    if (to.added != nullptr) to.added += width;
  }
}

void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t a_row, const float* b,
              Upcoming next, const float* bias, const float* added, float low, float high, float* c,
              std::int64_t c_row) {
  if (kAlwaysFetches)
    next.panels = next.rows = true;
  else if (!has_slow_third_cache())
    next = {};
  multiply_panels(m, n, k, a, a_row, b, {{bias, added, low, high, c, c_row, n}, next, next.rows});
}

void multiply_panel(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t a_row, const float* b,
                    std::int64_t b_row, Upcoming next, const float* bias, const float* added, float low, float high,
                    float* c, std::int64_t c_row) {
  any_panel<true>(vectors_of(n), m, k, a, a_row, b, b_row,
                  {{bias, added, low, high, c, c_row, n}, next, kAlwaysFetches});
}

struct Window {
  std::int64_t rows, pixel_step, taps, tap_step, w_step;
  const float* const* x;
  const float* const* w;
};

// `constant`: how many taps there are; 0: as many as the window has.
template <int pixels, int constant, bool bounded, class Access>
HWY_INLINE void sums(const Access& access, const Window& window, std::int64_t first, std::int64_t channel, V start,
                     V low, V high, float* out, std::int64_t out_step) {
  V sum[pixels];
  for (int p = 0; p < pixels; ++p) sum[p] = start;
  const std::int64_t taps = constant != 0 ? constant : window.taps;
  for (std::int64_t r = 0; r < window.rows; ++r) {
    const float* x = window.x[r] + first * window.pixel_step + channel;
    const float* w = window.w[r] + channel;
    for (std::int64_t t = 0; t < taps; ++t, x += window.tap_step, w += window.w_step) {
      const V weight = access.load(w);
      for (int p = 0; p < pixels; ++p) sum[p] = hn::MulAdd(access.load(x + p * window.pixel_step), weight, sum[p]);
    }
  }
  for (int p = 0; p < pixels; ++p) access.store(bounded_if<bounded>(low, high, sum[p]), out + p * out_step + channel);
}

template <int constant, bool bounded>
void depthwise_rows(std::int64_t pixels, std::int64_t channels, const Window& window, const float* bias, float low,
                    float high, float* out, std::int64_t out_step) {
  const F d;
  const V vlow = hn::Set(d, low), vhigh = hn::Set(d, high);
  const auto all = [&](const auto& access, std::int64_t c) HWY_ATTR {
    const V start = bias != nullptr ? access.load(bias + c) : hn::Zero(d);
    std::int64_t p = 0;
    const auto go = [&]<int count>() HWY_ATTR {
      for (; p + count <= pixels; p += count)
        sums<count, constant, bounded>(access, window, p, c, start, vlow, vhigh, out + p * out_step, out_step);
    };
    go.template operator()<kPixels>();
    if constexpr (kPixels > 4) go.template operator()<4>();
    go.template operator()<2>();
    go.template operator()<1>();
  };
  if (channels < lanes()) return all(Few(channels), 0);
  // The last vector computes some of the one before again.
  for (std::int64_t c = 0; c < channels; c += lanes()) all(Whole(), std::min(c, channels - lanes()));
}

void depthwise(std::int64_t pixels, std::int64_t channels, std::int64_t rows, const float* const* x,
               std::int64_t pixel_step, std::int64_t taps, std::int64_t tap_step, const float* const* w,
               std::int64_t w_step, const float* bias, float low, float high, float* out, std::int64_t out_step) {
  const Window window{rows, pixel_step, taps, tap_step, w_step, x, w};
  const auto run = [&]<int constant>() {
    if (is_bounded(low, high))
      depthwise_rows<constant, true>(pixels, channels, window, bias, low, high, out, out_step);
    else
      depthwise_rows<constant, false>(pixels, channels, window, bias, low, high, out, out_step);
  };
  if (taps == 3) return run.template operator()<3>();
  if (taps == 5) return run.template operator()<5>();
  run.template operator()<0>();
}

SeparableTable separables() { return {lanes(), kVectors * lanes(), multiply, multiply_panel, depthwise}; }

}  // namespace separable_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(separables);

const SeparableTable& separable_table() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(separables)(); });
}

}  // namespace norn::kernels
#endif
