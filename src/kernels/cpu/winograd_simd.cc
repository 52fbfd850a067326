// Transforms by rows and columns, a vector of channels at a time, and the product of points and weights: few rows of
// points against panels of weights that may be as narrow as one vector, since networks have 16 channels as well as 512.
#include "kernels/cpu/winograd.h"

#include <algorithm>
#include <utility>

#include "base/fork.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/winograd_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace winograd_simd_cc {
namespace hn = hwy::HWY_NAMESPACE;
using tiles::Ahead, tiles::F, tiles::fetch, tiles::Few, tiles::V, tiles::Whole, tiles::kSums, tiles::kVectors,
    tiles::lanes, tiles::load;

constexpr float kA = kWinogradA, kB = kWinogradB;

// B^T d of one line of six.
HWY_INLINE void to_points(const V d0, const V d1, const V d2, const V d3, const V d4, const V d5, V* to) {
  const F d;
  const V aa = hn::Set(d, kA * kA), bb = hn::Set(d, kB * kB), both = hn::Set(d, kA * kA * kB * kB),
          sum = hn::Set(d, kA * kA + kB * kB);
  const V even_a = hn::NegMulAdd(bb, d2, d4), odd_a = hn::NegMulAdd(bb, d1, d3);
  const V even_b = hn::NegMulAdd(aa, d2, d4), odd_b = hn::NegMulAdd(aa, d1, d3);
  to[0] = hn::MulAdd(both, d0, hn::NegMulAdd(sum, d2, d4));
  to[1] = hn::MulAdd(hn::Set(d, kA), odd_a, even_a);
  to[2] = hn::NegMulAdd(hn::Set(d, kA), odd_a, even_a);
  to[3] = hn::MulAdd(hn::Set(d, kB), odd_b, even_b);
  to[4] = hn::NegMulAdd(hn::Set(d, kB), odd_b, even_b);
  to[5] = hn::MulAdd(both, d1, hn::NegMulAdd(sum, d3, d5));
}

// A^T m of one line of six.
HWY_INLINE void from_points(const V m0, const V m1, const V m2, const V m3, const V m4, const V m5, V* to) {
  const F d;
  const V even_a = hn::Add(m1, m2), odd_a = hn::Sub(m1, m2), even_b = hn::Add(m3, m4), odd_b = hn::Sub(m3, m4);
  to[0] = hn::Add(hn::Add(m0, even_a), even_b);
  to[1] = hn::MulAdd(hn::Set(d, kA), odd_a, hn::Mul(hn::Set(d, kB), odd_b));
  to[2] = hn::MulAdd(hn::Set(d, kA * kA), even_a, hn::Mul(hn::Set(d, kB * kB), even_b));
  to[3] = hn::MulAdd(hn::Set(d, kA * kA * kA), odd_a, hn::MulAdd(hn::Set(d, kB * kB * kB), odd_b, m5));
}

// The sum of an element's squares over channels is the size of its pixel. The outputs whose windows are much smaller
// than the largest pixel:
HWY_NOINLINE std::uint16_t small_windows(const float* x, std::int64_t row, std::int64_t column, std::int64_t channels,
                                         const float* shares, float bound) {
  const F d;
  // Of any magnitude: as parts of the largest element, whose squares are neither too large nor lost.
  float extents[6][6], most = 0;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      V extent = hn::Zero(d);
      for (std::int64_t c = 0; c < channels; c += lanes())
        extent = hn::Max(hn::Abs(load(x + i * row + j * column + c, channels - c)), extent);
      extents[i][j] = hn::GetLane(hn::MaxOfLanes(d, extent));
      most = std::max(most, extents[i][j]);
    }
  if (most < std::numeric_limits<float>::min()) return 0;
  const V scale = hn::Set(d, 1.0f / most);
  float pixels[6][6], largest = 0;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      V sum = hn::Zero(d);
      for (std::int64_t c = 0; c < channels; c += lanes()) {
        const V part = hn::Mul(load(x + i * row + j * column + c, channels - c), scale);
        const V size = hn::Mul(part, load(shares + c, channels - c));
        sum = hn::MulAdd(size, size, sum);
      }
      pixels[i][j] = hn::GetLane(hn::SumOfLanes(d, sum));
      largest = std::max(largest, pixels[i][j]);
    }
  std::uint32_t small = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      float window = 0, extent = 0;
      for (int k = 0; k < 9; ++k) {
        window += pixels[i + k / 3][j + k % 3];
        extent += extents[i + k / 3][j + k % 3];
      }
      // Not a number counts as too small. The others of the tile may read what is large with small weights, so that
      // they lose digits as well; not so beside nothing.
      if (!(largest <= bound * window)) small |= extent == 0 ? 1u << (4 * i + j) : 0xffffu;
    }
  return static_cast<std::uint16_t>(small);
}

// Calls f(first channel, Whole or Few) for vectors of channels.
template <class Body>
HWY_INLINE void each_vector(std::int64_t channels, const Body& f) {
  std::int64_t c = 0;
  for (; c + lanes() <= channels; c += lanes()) f(c, Whole());
  if (c < channels) f(c, Few(channels - c));
}

// Whether the outputs of a patch keep their digits, given the sums of squares over its nine squares of 2 x 2 pixels:
// each window holds such a square, and no pixel is more than its square.
HWY_INLINE bool are_even(const V (&sizes)[9], float bound) {
  const F d;
  const auto within = [&](float smallest, float largest) {
    return smallest > 1e-30f && largest < std::numeric_limits<float>::infinity() && largest <= bound * smallest;
  };
  // Nearly always enough: the smallest and the largest of each lane are bounds for those of the sums over lanes.
  V least = sizes[0], most = sizes[0];
  for (const V size : sizes) {
    least = hn::Min(least, size);
    most = hn::Max(most, size);
  }
  if (within(hn::GetLane(hn::SumOfLanes(d, least)), hn::GetLane(hn::SumOfLanes(d, most)))) return true;
  // Few channels, some of which are zero.
  float smallest = std::numeric_limits<float>::infinity(), largest = 0;
  for (const V size : sizes) {
    const float sum = hn::GetLane(hn::SumOfLanes(d, size));
    if (!(sum > 0)) return false;
    smallest = std::min(smallest, sum);
    largest = std::max(largest, sum);
  }
  return within(smallest, largest);
}

template <bool image>
void input_of(const float* x, std::int64_t row, std::int64_t column, std::int64_t channels, const float* shares,
              std::int64_t depth, float* points, std::int64_t point_step, std::uint16_t* again) {
  const F d;
  V sizes[image ? 1 : kWinogradDeepest][9];
  if constexpr (image) depth = 1;
  for (std::int64_t k = 0; k < depth; ++k)
    for (V& size : sizes[k]) size = hn::Zero(d);
  each_vector(channels, [&](std::int64_t c, const auto& some) HWY_ATTR {
    V half[6][6], line[6], squares[3][3];  // of 2 x 2 pixels
    for (int j = 0; j < 6; ++j) {
      const float* at = x + j * column + c;
      for (int i = 0; i < 6; ++i) line[i] = some.load(at + i * row);
      for (int i = 0; i < 3; ++i) {
        const V first = line[2 * i], second = line[2 * i + 1];
        V& square = squares[i][j / 2];
        square = hn::MulAdd(second, second, j % 2 == 0 ? hn::Mul(first, first) : hn::MulAdd(first, first, square));
      }
      V made[6];
      to_points(line[0], line[1], line[2], line[3], line[4], line[5], made);
      for (int i = 0; i < 6; ++i) half[i][j] = made[i];
    }
    for (std::int64_t k = 0; k < depth; ++k) {
      const V share = some.load(shares + k * channels + c), squared = hn::Mul(share, share);
      for (int i = 0; i < 9; ++i) sizes[k][i] = hn::MulAdd(squares[i / 3][i % 3], squared, sizes[k][i]);
    }
    float* to = points + c;
    for (int i = 0; i < 6; ++i) {
      to_points(half[i][0], half[i][1], half[i][2], half[i][3], half[i][4], half[i][5], line);
      for (int j = 0; j < 6; ++j, to += point_step) hn::StoreU(line[j], d, to);
    }
  });
  const float bound = kWinogradOutlier * static_cast<float>(channels);
  for (std::int64_t k = 0; k < depth; ++k)
    again[k] = are_even(sizes[k], bound) ? 0 : small_windows(x, row, column, channels, shares + k * channels, bound);
}

void input(const float* x, std::int64_t row, std::int64_t column, std::int64_t channels, const float* shares,
           std::int64_t depth, float* points, std::int64_t point_step, std::uint16_t* again) {
  if (depth == 1) return input_of<true>(x, row, column, channels, shares, depth, points, point_step, again);
  input_of<false>(x, row, column, channels, shares, depth, points, point_step, again);
}

bool output(const float* points, std::int64_t point_step, const float* bias, std::int64_t channels, std::int64_t rows,
            std::int64_t columns, float* out, std::int64_t row, std::int64_t column) {
  const F d;
  V fault = hn::Zero(d);  // stays zero while all is finite: x - x is not a number else
  each_vector(channels, [&](std::int64_t c, const auto& some) HWY_ATTR {
    const V start = bias != nullptr ? some.load(bias + c) : hn::Zero(d);
    V half[4][6], line[4];
    const float* from = points + c;
    for (int j = 0; j < 6; ++j, from += point_step) {
      from_points(hn::LoadU(d, from), hn::LoadU(d, from + 6 * point_step), hn::LoadU(d, from + 12 * point_step),
                  hn::LoadU(d, from + 18 * point_step), hn::LoadU(d, from + 24 * point_step),
                  hn::LoadU(d, from + 30 * point_step), line);
      for (int i = 0; i < 4; ++i) half[i][j] = line[i];
    }
    for (std::int64_t i = 0; i < rows; ++i) {
      from_points(half[i][0], half[i][1], half[i][2], half[i][3], half[i][4], half[i][5], line);
      float* to = out + i * row + c;
      for (std::int64_t j = 0; j < columns; ++j, to += column) {
        const V v = hn::Add(line[j], start);
        fault = hn::Add(fault, hn::Sub(v, v));
        some.store(v, to);
      }
    }
  });
  return hn::AllTrue(d, hn::Eq(fault, hn::Zero(d)));
}

// Where rows lie that are as far apart from each other: of eight in a row, an address is a base and a multiple of one
// of four steps that an instruction can scale. A pointer to each row would not fit the registers.
template <int rows>
class Rows {
 public:
  Rows(const float* first, std::int64_t step)
      : one_(step * static_cast<std::int64_t>(sizeof(float))), three_(3 * one_), five_(5 * one_), seven_(7 * one_) {
    for (int i = 0; i < kBases; ++i) bases_[i] = reinterpret_cast<const char*>(first + 8 * i * step);
  }
  template <int row>
  HWY_INLINE float at() const {
    const char* const base = bases_[row / 8];
    constexpr int kIn = row % 8;
    const std::int64_t offset = kIn == 3   ? three_
                                : kIn == 5 ? five_
                                : kIn == 6 ? 2 * three_
                                : kIn == 7 ? seven_
                                           : kIn * one_;
    return *reinterpret_cast<const float*>(base + offset);
  }
  HWY_INLINE void next() {
    for (auto& base : bases_) base += sizeof(float);
  }

 private:
  static constexpr int kBases = (rows + 7) / 8;
  const char* bases_[kBases];
  std::int64_t one_, three_, five_, seven_;
};

template <int vectors, int rows, int... row>
HWY_INLINE void add_products(const Rows<rows>& left, const V* right, V (&sums)[rows][vectors],
                             std::integer_sequence<int, row...>) {
  const auto add = [&]<int r>() {
    const V value = hn::Set(F(), left.template at<r>());
    for (int v = 0; v < vectors; ++v) sums[r][v] = hn::MulAdd(value, right[v], sums[r][v]);
  };
  (add.template operator()<row>(), ...);
}

template <int rows, int vectors, bool fetches>
HWY_INLINE void tile(const WinogradTerms& t, const float* a, const float* b, float* c, std::int64_t c_row,
                     Ahead& ahead) {
  const F d;
  const std::int64_t w = lanes();
  V sums[rows][vectors];
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v) sums[r][v] = hn::Zero(d);
  const char* next = ahead.at;
  for (std::int64_t part = 0; part < t.parts; ++part, a += t.part) {
    Rows<rows> left(a, t.row);
    for (std::int64_t i = 0; i < t.terms; ++i, left.next(), b += vectors * w) {
      if constexpr (fetches) next = fetch(next, ahead.step);
      V right[vectors];
      for (int v = 0; v < vectors; ++v) right[v] = hn::LoadU(d, b + v * w);
      add_products(left, right, sums, std::make_integer_sequence<int, rows>());
    }
  }
  ahead.at = next;
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v) hn::StoreU(sums[r][v], d, c + r * c_row + v * w);
}

// As many rows at a time as leave the sums in registers, then fewer. `fetches`: what lies behind the panel, which is
// the next one, or the first of the next point: a quarter of the products reads four times the weights that they stand
// for.
template <int vectors, bool fetches>
HWY_NOINLINE void panel(std::int64_t m, const WinogradTerms& t, const float* a, const float* b, float* c,
                        std::int64_t c_row) {
  constexpr int kMost = kSums / vectors;
  const std::int64_t floats = vectors * lanes() * t.parts * t.terms;
  Ahead ahead = Ahead::of(b + floats, floats * static_cast<std::int64_t>(sizeof(float)), (m + kMost - 1) / kMost,
                          t.parts * t.terms);
  const auto go = [&]<int rows>() {
    for (; m >= rows; m -= rows, a += rows * t.row, c += rows * c_row)
      tile<rows, vectors, fetches>(t, a, b, c, c_row, ahead);
  };
  go.template operator()<kMost>();
  if constexpr (kMost > 12) go.template operator()<12>();
  if constexpr (kMost > 6) go.template operator()<6>();
  if constexpr (kMost > 4) go.template operator()<4>();
  go.template operator()<2>();
  go.template operator()<1>();
}

// Whether panels come soon enough if so many tiles share the fetching of one. Three, which would fetch more bytes for
// each step than a vector has, take 1.16 times as long on Cascade Lake.
bool fetches_behind(std::int64_t tiles) {
  return has_large_second_cache() || (has_slow_third_cache() && tiles >= kVectors);
}

void multiply(std::int64_t m, std::int64_t n, const WinogradTerms& t, const float* a, const float* b, float* c,
              std::int64_t c_row) {
  const bool fetches = fetches_behind((m + kSums / kVectors - 1) / (kSums / kVectors));
  for (std::int64_t n0 = 0; n0 < n;) {
    const std::int64_t vectors = std::min<std::int64_t>(kVectors, (n - n0 + lanes() - 1) / lanes());
    const auto go = [&]<int count>() {
      constexpr bool kMayFetch = HWY_MAX_BYTES >= 64 && count == kVectors;
      if (kMayFetch && fetches)
        panel<count, kMayFetch>(m, t, a, b, c + n0, c_row);
      else
        panel<count, false>(m, t, a, b, c + n0, c_row);
    };
    if (vectors == 1) go.template operator()<1>();
    if (vectors == 2) go.template operator()<2>();
    if constexpr (kVectors > 2) {
      if (vectors == 3) go.template operator()<3>();
      if (vectors == 4) go.template operator()<4>();
    }
    b += vectors * lanes() * t.parts * t.terms;
    n0 += vectors * lanes();
  }
}

static_assert(kVectors * 16 <= kWinogradWidest);
WinogradTable winograds() { return {lanes(), kVectors * lanes(), input, multiply, output}; }

}  // namespace winograd_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(winograds);

const WinogradTable& winograd_table() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(winograds)(); });
}

}  // namespace norn::kernels
#endif
