// The register tile of the matrix product for each instruction set: rows of A times vectors of a panel of B, as many
// accumulators as registers allow. A product's order of additions follows from k and from the number of rows left
// (one row keeps two sums), so from the shape alone.
#include "kernels/cpu/gemm.h"

#include <algorithm>
#include <cstring>

#include "base/division.h"
#include "base/fork.h"
#include "kernels/cpu/targets.h"
#include "kernels/kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/gemm_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace gemm_simd_cc {
namespace hn = hwy::HWY_NAMESPACE;
using tiles::Ahead, tiles::F, tiles::Few, tiles::fetch, tiles::Whole, tiles::V, tiles::kVectors, tiles::lanes,
    tiles::within;

constexpr int kRows = 6;
// Where there are 32 registers: more rows, half of a panel at a time, so that what lies in the second cache is read for
// more of them.
constexpr int kTallRows = kVectors == 4 ? 12 : kRows;
constexpr int kTallVectors = 2;
// Of B's panel in the second cache, or of half of it in the first.
constexpr std::int64_t kDepth = kTallRows > kRows ? 128 : 512;

template <int vectors>
HWY_INLINE void store_row(const V* sums, float* c, std::int64_t n, const float* bias, V alpha, bool add) {
  const F d;
  for (int v = 0; v < vectors; ++v) {
    const std::int64_t at = v * lanes(), rest = n - at;
    if (rest <= 0) return;
    if (rest >= lanes()) {
      V r = hn::Mul(alpha, sums[v]);
      if (bias != nullptr) r = hn::Add(r, hn::LoadU(d, bias + at));
      if (add) r = hn::Add(r, hn::LoadU(d, c + at));
      hn::StoreU(r, d, c + at);
    } else {
#if HWY_TARGET <= HWY_AVX3
      const Few few(rest);
      V r = hn::Mul(alpha, sums[v]);
      if (bias != nullptr) r = hn::Add(r, few.load(bias + at));
      if (add) r = hn::Add(r, few.load(c + at));
      few.store(r, c + at);
#else
      HWY_ALIGN float tail[16];
      hn::Store(hn::Mul(alpha, sums[v]), d, tail);
      for (std::int64_t i = 0; i < rest; ++i) {
        float r = tail[i];
        if (bias != nullptr) r += bias[at + i];
        c[at + i] = add ? c[at + i] + r : r;
      }
#endif
    }
  }
}

template <int rows>
HWY_NOINLINE void tile(std::int64_t k, const float* a, std::int64_t a_row, std::int64_t a_column, const float* b,
                       std::int64_t b_row, float* c, std::int64_t c_row, std::int64_t n, const float* bias, float alpha,
                       bool add) {
  const F d;
  const std::int64_t w = lanes();
  V sums[rows][kVectors];
#pragma GCC unroll 12
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(d);
  std::int64_t i = 0;
  if constexpr (rows == 1) {
    V odd[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) odd[v] = hn::Zero(d);
    for (; i + 2 <= k; i += 2, b += 2 * b_row, a += 2 * a_column) {
      const V x = hn::Set(d, a[0]), y = hn::Set(d, a[a_column]);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        sums[0][v] = hn::MulAdd(x, hn::LoadU(d, b + v * w), sums[0][v]);
        odd[v] = hn::MulAdd(y, hn::LoadU(d, b + b_row + v * w), odd[v]);
      }
    }
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sums[0][v] = hn::Add(sums[0][v], odd[v]);
  }
  for (; i < k; ++i, b += b_row, a += a_column) {
    V right[kVectors];
    for (int v = 0; v < kVectors; ++v) right[v] = hn::LoadU(d, b + v * w);
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r) {
      const V left = hn::Set(d, a[r * a_row]);
      for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(left, right[v], sums[r][v]);
    }
  }
  const V scale = hn::Set(d, alpha);
#pragma GCC unroll 12
  for (int r = 0; r < rows; ++r) store_row<kVectors>(sums[r], c + r * c_row, n, bias, scale, add);
}

template <int rows, bool fetches, int vectors>
HWY_NOINLINE void tall_tile(std::int64_t k, const float* a, std::int64_t a_row, std::int64_t a_column, const float* b,
                            std::int64_t b_row, float* c, std::int64_t c_row, std::int64_t n, const float* bias,
                            float alpha, bool add, Ahead ahead) {
  const F d;
  const std::int64_t w = lanes();
  V sums[rows][vectors];
#pragma GCC unroll 12
  for (auto& row : sums)
    for (V& sum : row) sum = hn::Zero(d);
  for (std::int64_t i = 0; i < k; ++i, b += b_row, a += a_column) {
    V right[vectors];
    for (int v = 0; v < vectors; ++v) right[v] = hn::LoadU(d, b + v * w);
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r) {
      const V left = hn::Set(d, a[r * a_row]);
      for (int v = 0; v < vectors; ++v) sums[r][v] = hn::MulAdd(left, right[v], sums[r][v]);
    }
    if constexpr (fetches) ahead.at = fetch(ahead.at, ahead.step);
  }
  const V scale = hn::Set(d, alpha);
#pragma GCC unroll 12
  for (int r = 0; r < rows; ++r) store_row<vectors>(sums[r], c + r * c_row, n, bias, scale, add);
}

using Tile = void (*)(std::int64_t, const float*, std::int64_t, std::int64_t, const float*, std::int64_t, float*,
                      std::int64_t, std::int64_t, const float*, float, bool);
using TallTile = void (*)(std::int64_t, const float*, std::int64_t, std::int64_t, const float*, std::int64_t, float*,
                          std::int64_t, std::int64_t, const float*, float, bool, Ahead);

// Of `least` rows to twice as many.
template <int least, bool fetches, int vectors>
constexpr TallTile kTall[] = {tall_tile<least, fetches, vectors>,     tall_tile<least + 1, fetches, vectors>,
                              tall_tile<least + 2, fetches, vectors>, tall_tile<least + 3, fetches, vectors>,
                              tall_tile<least + 4, fetches, vectors>, tall_tile<least + 5, fetches, vectors>,
                              tall_tile<least + 6, fetches, vectors>};

// A panel, by tiles of nearly the same height; half of it stays in the first cache. `next`: Panels::next, from the
// first of these k on.
template <int tall_rows, bool fetches>
void tall_tiles(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t a_row,
                std::int64_t a_column, const float* panel, std::int64_t b_row, float* c, std::int64_t c_row,
                const float* bias, float alpha, bool add, const float* next) {
  constexpr int kLeast = tall_rows / 2;  // of more than kRows rows
  static_assert(kLeast + 6 == tall_rows);
  const std::int64_t half = kTallVectors * lanes(), tiles = (m + tall_rows - 1) / tall_rows;
  const std::int64_t bytes = k * b_row * static_cast<std::int64_t>(sizeof(float));
  Ahead ahead = Ahead::of(next, bytes, tiles * ((n + half - 1) / half), k);
  for (std::int64_t at = 0; at < n; at += half)
    for (std::int64_t t = 0; t < tiles; ++t, ahead.at += fetches ? ahead.step * k : 0) {
      const auto [m0, m1] = base::part_of(m, tiles, t);
      const std::int64_t rows = m1 - m0;
      // What is left of a panel may fill no more than a vector.
      const auto by = n - at <= lanes() ? kTall<kLeast, fetches, 1> : kTall<kLeast, fetches, kTallVectors>;
      by[rows - kLeast](k, a + m0 * a_row, a_row, a_column, panel + at, b_row, c + m0 * c_row + at, c_row,
                        std::min(half, n - at), bias == nullptr ? nullptr : bias + at, alpha, add, ahead);
    }
}

template <bool onto, int tall_rows>
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t a_row, std::int64_t a_column,
              Panels b, float* c, std::int64_t c_row, const float* bias, float alpha) {
  static constexpr Tile kTiles[kRows + 1] = {nullptr, tile<1>, tile<2>, tile<3>, tile<4>, tile<5>, tile<6>};
  const std::int64_t width = kVectors * lanes();
  // One pass over k for few rows: their sums are not stored in between.
  const std::int64_t depth = m <= kTallRows ? k : kDepth;
  for (std::int64_t k0 = 0; k0 == 0 || k0 < k; k0 += std::max<std::int64_t>(depth, 1)) {
    const std::int64_t deep = std::min(depth, k - k0);
    for (std::int64_t n0 = 0; n0 < n; n0 += width) {
      const float* panel = b.data + n0 / width * b.panel_stride + k0 * b.row_stride;
      const float* panel_bias = bias == nullptr || k0 != 0 ? nullptr : bias + n0;
      const std::int64_t columns = std::min(width, n - n0);
      if constexpr (tall_rows > kRows) {
        if (m > kRows) {
          const auto tiles = b.next != nullptr ? tall_tiles<tall_rows, true> : tall_tiles<tall_rows, false>;
          tiles(m, columns, deep, a + k0 * a_column, a_row, a_column, panel, b.row_stride, c + n0, c_row, panel_bias,
                alpha, onto || k0 != 0, b.next != nullptr ? b.next + k0 * b.row_stride : nullptr);
          continue;
        }
      }
      for (std::int64_t m0 = 0; m0 < m; m0 += kRows) {
        const std::int64_t rows = std::min<std::int64_t>(kRows, m - m0);
        kTiles[rows](deep, a + m0 * a_row + k0 * a_column, a_row, a_column, panel, b.row_stride, c + m0 * c_row + n0,
                     c_row, columns, panel_bias, alpha, onto || k0 != 0);
      }
    }
  }
}

void depthwise(std::int64_t pixels, std::int64_t channels, const float* const* taps, std::int64_t tap_count,
               const float* w, const float* bias, float low, float high, float* out) {
  const F d;
  const V vlow = hn::Set(d, low), vhigh = hn::Set(d, high);
  const Few few(std::min(channels, lanes()));  // for fewer than a vector has
  for (std::int64_t p = 0; p < pixels; ++p, taps += tap_count, out += channels) {
    std::int64_t c = 0;
    for (; c < channels && channels >= lanes(); c += lanes()) {
      c = std::min(c, channels - lanes());  // the last vector computes some of the one before again
      V sum = bias != nullptr ? hn::LoadU(d, bias + c) : hn::Zero(d);
      for (std::int64_t t = 0; t < tap_count; ++t)
        if (taps[t] != nullptr) sum = hn::MulAdd(hn::LoadU(d, taps[t] + c), hn::LoadU(d, w + t * channels + c), sum);
      hn::StoreU(within(vlow, vhigh, sum), d, out + c);
    }
    if (c == channels) continue;
    V sum = bias != nullptr ? few.load(bias) : hn::Zero(d);
    for (std::int64_t t = 0; t < tap_count; ++t)
      if (taps[t] != nullptr) sum = hn::MulAdd(few.load(taps[t]), few.load(w + t * channels), sum);
    few.store(within(vlow, vhigh, sum), out);
  }
}

// Channels [c, c + lanes) or what `access` has of them.
template <class Access>
HWY_INLINE void channels_3x3(const Access& access, std::int64_t c, std::int64_t pixels, std::int64_t channels,
                             const float* const* rows, std::int64_t tap_step, std::int64_t pixel_step, const float* w,
                             const float* bias, float low, float high, float* out) {
  const F d;
  const V vlow = hn::Set(d, low), vhigh = hn::Set(d, high);
  V weights[9];
  for (int t = 0; t < 9; ++t) weights[t] = access.load(w + t * channels + c);
  const V start = bias != nullptr ? access.load(bias + c) : hn::Zero(d);
  const float *r0 = rows[0] + c, *r1 = rows[1] + c, *r2 = rows[2] + c;
  float* to = out + c;
  for (std::int64_t p = 0; p < pixels; ++p, r0 += pixel_step, r1 += pixel_step, r2 += pixel_step, to += channels) {
    V a = hn::MulAdd(access.load(r0), weights[0], start);
    V b = hn::Mul(access.load(r1), weights[3]);
    V e = hn::Mul(access.load(r2), weights[6]);
    a = hn::MulAdd(access.load(r0 + tap_step), weights[1], a);
    b = hn::MulAdd(access.load(r1 + tap_step), weights[4], b);
    e = hn::MulAdd(access.load(r2 + tap_step), weights[7], e);
    a = hn::MulAdd(access.load(r0 + 2 * tap_step), weights[2], a);
    b = hn::MulAdd(access.load(r1 + 2 * tap_step), weights[5], b);
    e = hn::MulAdd(access.load(r2 + 2 * tap_step), weights[8], e);
    access.store(within(vlow, vhigh, hn::Add(a, hn::Add(b, e))), to);
  }
}
void depthwise_3x3(std::int64_t pixels, std::int64_t channels, const float* const* rows, std::int64_t tap_step,
                   std::int64_t pixel_step, const float* w, const float* bias, float low, float high, float* out) {
  if (channels < lanes())
    return channels_3x3(Few(channels), 0, pixels, channels, rows, tap_step, pixel_step, w, bias, low, high, out);
  // The last vector computes some of the one before again.
  for (std::int64_t c = 0; c < channels; c += lanes())
    channels_3x3(Whole(), std::min(c, channels - lanes()), pixels, channels, rows, tap_step, pixel_step, w, bias, low,
                 high, out);
}

GemmTable gemms() {
  return {kVectors * lanes(), multiply<false, kTallRows>, multiply<true, kTallRows>, depthwise, depthwise_3x3};
}

}  // namespace gemm_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(gemms);

const GemmTable& gemm_table() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(gemms)(); });
}

void pack_panels(const float* b, std::int64_t b_row, std::int64_t b_column, std::int64_t k, std::int64_t n,
                 std::int64_t first, std::int64_t last, float* packed) {
  const std::int64_t width = gemm_table().width;
  for (std::int64_t p = first; p < last; ++p) {
    const std::int64_t columns = std::min(width, n - p * width);
    const float* from = b + p * width * b_column;
    float* to = packed + p * width * k;
    // A line of each column at a time.
    constexpr std::int64_t kLine = 16;
    for (std::int64_t i = 0; b_column != 1 && i < k; i += kLine)
      for (std::int64_t j = 0; j < columns; ++j)
        for (std::int64_t l = i; l < std::min(k, i + kLine); ++l)
          to[l * width + j] = float_at(from + j * b_column + l * b_row);
    for (std::int64_t i = 0; i < k; ++i, from += b_row, to += width) {
      if (b_column == 1) std::memcpy(to, from, static_cast<std::size_t>(columns) * sizeof(float));
      std::fill(to + columns, to + width, 0.0f);
    }
  }
}

}  // namespace norn::kernels
#endif
