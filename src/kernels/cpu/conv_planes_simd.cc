// Rows of a depthwise convolution for each instruction set: some vectors of one or two at a time, tap after tap.
#include <algorithm>
#include <type_traits>

#include "base/fork.h"
#include "kernels/cpu/conv_planes.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/conv_planes_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/opaque-inl.h"
#include "kernels/cpu/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace planes {

namespace hn = hwy::HWY_NAMESPACE;

// Neighbouring taps are vectors that lie across cache lines, all of them if they are as long as a line.
using Half = hn::CappedTag<float, 8>;
using H = hn::Vec<Half>;
constexpr int kVectors = 4;

template <int n>
using Count = std::integral_constant<int, n>;
using One = Count<1>;
using Two = Count<2>;
using Three = Count<3>;
using Four = Count<4>;

// Where one of some vectors begins that are neighbours, the last one of which may have elements of the one before.
template <int vectors>
HWY_INLINE std::int64_t place(int v, std::int64_t last) {
  return v + 1 < vectors ? v * static_cast<std::int64_t>(hn::Lanes(Half())) : last;
}
// Once for all sums that it counts for: GCC would read it again for each of them.
HWY_INLINE H load_once(const float* from) { return opaque(hn::LoadU(Half(), from)); }
template <int vectors>
HWY_INLINE void store(const PlaneWindow& window, const H (&sums)[vectors], std::int64_t last, float* out) {
  const Half d;
  const H low = hn::Set(d, window.low), high = hn::Set(d, window.high);
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) hn::StoreU(tiles::within(low, high, sums[v]), d, out + place<vectors>(v, last));
}

// Sums of a window of `kColumns` columns, or as many as it has: `vectors` of outputs of one row, or of two, the second
// of which meets rows of x from the first one's second row on.
template <int kColumns, bool neighbours>
struct AnyRows {
  explicit AnyRows(const PlaneWindow& w) : window(w) {}
  static constexpr int kMostRows = 2;
  template <int vectors, int rows>
  HWY_INLINE void take(const float* x, std::int64_t x_row, std::int64_t last, float* out, std::int64_t out_row) const {
    constexpr bool two = rows == 2;
    const std::int64_t count = kColumns == 0 ? window.columns : kColumns;
    H sums[vectors], below[vectors];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) sums[v] = below[v] = hn::Set(Half(), window.bias);
    const float* w = window.weights;
    const Half d;
    // A row of x, which counts for the first row of outputs, the second or both.
    const auto row = [&](auto first, auto second) HWY_ATTR {
#pragma GCC unroll 7
      for (std::int64_t c = 0; c < count; ++c) {
        const float* const from = x + (neighbours ? c : window.at[c]);
        const H here = first ? hn::Set(d, w[c]) : hn::Zero(d), above = second ? hn::Set(d, w[c - count]) : hn::Zero(d);
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) {
          const float* const elements = from + place<vectors>(v, last);
          const H at = first && second ? load_once(elements) : hn::LoadU(d, elements);
          if (first) sums[v] = hn::MulAdd(at, here, sums[v]);
          if (second) below[v] = hn::MulAdd(at, above, below[v]);
        }
      }
      x += x_row;
      w += count;
    };
    row(std::true_type(), std::false_type());
    for (std::int64_t r = 1; r < window.rows; ++r) {
      asm("" : "+r"(w));  // else GCC keeps a row's weights for the next turn, in more registers than there are
      row(std::true_type(), std::bool_constant<two>());
    }
    store(window, sums, last, out);
    if constexpr (two) {
      row(std::false_type(), std::true_type());
      store(window, below, last, out + out_row);
    }
  }
  const PlaneWindow& window;
};

// The same of 3 x 3, whose weights stay in registers; of four rows, so that few vectors of each keep the sums of others
// going on.
template <bool neighbours>
struct ThreeRows {
  explicit ThreeRows(const PlaneWindow& w) : window(w) {
    const Half d;
#pragma GCC unroll 9
    for (int t = 0; t < 9; ++t) weights[t] = hn::Set(d, w.weights[t]);
    bias = hn::Set(d, w.bias);
  }
  static constexpr int kMostRows = 4;
  template <int vectors, int rows>
  HWY_INLINE void take(const float* x, std::int64_t x_row, std::int64_t last, float* out, std::int64_t out_row) const {
    H sums[rows][vectors];
#pragma GCC unroll 4
    for (int o = 0; o < rows; ++o)
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) sums[o][v] = bias;
#pragma GCC unroll 6
    for (int r = 0; r < rows + 2; ++r, x += x_row) {
#pragma GCC unroll 3
      for (int c = 0; c < 3; ++c) {
        const float* const from = x + (neighbours ? c : window.at[c]);
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) {
          const H at = load_once(from + place<vectors>(v, last));
#pragma GCC unroll 4
          for (int o = 0; o < rows; ++o)
            if (o <= r && r < o + 3) sums[o][v] = hn::MulAdd(at, weights[3 * (r - o) + c], sums[o][v]);
        }
      }
    }
#pragma GCC unroll 4
    for (int o = 0; o < rows; ++o) store(window, sums[o], last, out + o * out_row);
  }
  const PlaneWindow& window;
  H weights[9], bias;
};

// The first n elements of a vector, from 4 on.
HWY_INLINE void copy_first(const float* from, std::int64_t n, float* to) {
  const hn::CappedTag<float, 4> d;
  const auto low = hn::LoadU(d, from), high = hn::LoadU(d, from + n - 4);
  hn::StoreU(low, d, to);
  hn::StoreU(high, d, to + n - 4);
}

// `rows` of outputs.
template <int rows, class Sums>
HWY_INLINE void over(const Sums& sums, const float* x, std::int64_t x_row, std::int64_t n, float* out) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Half()));
  std::int64_t at = 0;
  const auto take = [&]<int vectors>(Count<vectors>, std::int64_t last)
                        HWY_ATTR { sums.template take<vectors, rows>(x + at, x_row, last, out + at, n); };
  if constexpr (rows > 2) return n > lanes ? take(Two(), n - lanes) : take(One(), n - lanes);
  // As many vectors at each turn: few of them wait for each other's sums.
  const std::int64_t vectors = (n + lanes - 1) / lanes, turns = (vectors + kVectors - 1) / kVectors,
                     each = (vectors + turns - 1) / turns;
  for (; at < n; at += each * lanes) {
    const std::int64_t rest = std::min((n - at + lanes - 1) / lanes, each),
                       last = std::min(rest * lanes, n - at) - lanes;
    if (rest == 4) take(Four(), last);
    if (rest == 3) take(Three(), last);
    if (rest == 2) take(Two(), last);
    if (rest == 1) take(One(), last);
  }
}

template <class Sums>
void band_of(const PlaneWindow& window, const PlaneBand& band) {
  const Sums sums(window);
  const float* x = band.x;
  float* out = band.out;
  std::int64_t o = 0;
  const auto pass = [&](auto count) HWY_ATTR {
    for (; o + count <= band.rows; o += count, x += count * band.x_stride, out += count * band.n)
      over<count>(sums, x, band.x_row, band.n, out);
  };
  if (band.x_row == band.x_stride) {
    if constexpr (Sums::kMostRows == 4)
      if (band.n <= 2 * static_cast<std::int64_t>(hn::Lanes(Half()))) pass(Four());
    pass(Two());
  }
  pass(One());
}
void band(const PlaneWindow& window, const PlaneBand& band) {
  if (window.columns == 3 && window.rows == 3)
    return window.neighbours ? band_of<ThreeRows<true>>(window, band) : band_of<ThreeRows<false>>(window, band);
  if (window.columns == 5 && !window.neighbours) return band_of<AnyRows<5, false>>(window, band);
  if (!window.neighbours) return band_of<AnyRows<0, false>>(window, band);
  if (window.columns == 3) return band_of<AnyRows<3, true>>(window, band);
  if (window.columns == 5) return band_of<AnyRows<5, true>>(window, band);
  if (window.columns == 7) return band_of<AnyRows<7, true>>(window, band);
  band_of<AnyRows<0, true>>(window, band);
}

HWY_INLINE void copy_row(const float* from, std::int64_t n, float* to) {
  const Half d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (n < lanes) {
    if (n >= 4) return copy_first(from, n, to);
    for (std::int64_t i = 0; i < n; ++i) to[i] = from[i];
    return;
  }
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::LoadU(d, from + i), d, to + i);
  if (i < n) hn::StoreU(hn::LoadU(d, from + n - lanes), d, to + n - lanes);
}
void copy(const PlaneRows& rows) {
  for (std::int64_t r = 0; r < rows.rows; ++r)
    copy_row(rows.from + r * rows.from_row, rows.n, rows.to + r * rows.to_row);
}

HWY_INLINE void part_row(const float* from, std::int64_t n, float* even, float* odd) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const Half d;
  const hn::Half<Half> half;
  const std::int64_t lanes = hn::Lanes(d), pairs = n / 2;
  const auto take = [&](std::int64_t at) HWY_ATTR {
    const auto low = hn::LoadU(d, from + 2 * at), high = hn::LoadU(d, from + 2 * at + lanes);
    hn::StoreU(hn::ConcatEven(d, high, low), d, even + at);
    hn::StoreU(hn::ConcatOdd(d, high, low), d, odd + at);
  };
  for (; i + lanes <= pairs; i += lanes) take(i);
  if (i < pairs && pairs >= lanes) {
    take(pairs - lanes);
    i = pairs;
  } else if (i < pairs && 2 * pairs >= lanes) {
    const std::int64_t behind = pairs - lanes / 2;
    const auto low = hn::LoadU(d, from), high = hn::LoadU(d, from + 2 * behind);
    const auto evens = hn::ConcatEven(d, high, low), odds = hn::ConcatOdd(d, high, low);
    hn::StoreU(hn::LowerHalf(half, evens), half, even);
    hn::StoreU(hn::UpperHalf(half, evens), half, even + behind);
    hn::StoreU(hn::LowerHalf(half, odds), half, odd);
    hn::StoreU(hn::UpperHalf(half, odds), half, odd + behind);
    i = pairs;
  }
#endif
  for (; 2 * i < n; ++i) {
    even[i] = from[2 * i];
    if (2 * i + 1 < n) odd[i] = from[2 * i + 1];
  }
}
void copy_parted(const PlaneRows& rows, float* odd) {
  for (std::int64_t r = 0; r < rows.rows; ++r)
    part_row(rows.from + r * rows.from_row, rows.n, rows.to + r * rows.to_row, odd + r * rows.to_row);
}

}  // namespace planes

PlaneConvTable make_plane_conv_table() { return {planes::band, planes::copy, planes::copy_parted}; }

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
