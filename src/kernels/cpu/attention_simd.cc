// Blocks of scores for each instruction set: a vector holds one key's scores for neighbouring queries, so that maxima
// and sums need no sums across lanes.
#include <cstdint>
#include <limits>

#include "base/fork.h"
#include "kernels/cpu/attention.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/attention_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace attention_simd_cc {

HWY_INLINE std::int64_t block_lanes() { return static_cast<std::int64_t>(hn::Lanes(F())); }

#if HWY_TARGET != HWY_SCALAR
using F4 = hn::FixedTag<float, 4>;
using V4 = hn::Vec<F4>;

// Of four rows, four columns; in each 128 bits.
template <class D, class W = hn::Vec<D>>
HWY_INLINE void transpose4(D d, W& a, W& b, W& c, W& e) {
  const W t0 = hn::InterleaveLower(d, a, c), t1 = hn::InterleaveUpper(d, a, c);
  const W t2 = hn::InterleaveLower(d, b, e), t3 = hn::InterleaveUpper(d, b, e);
  a = hn::InterleaveLower(d, t0, t2);
  b = hn::InterleaveUpper(d, t0, t2);
  c = hn::InterleaveLower(d, t1, t3);
  e = hn::InterleaveUpper(d, t1, t3);
}

// Four elements of each of four rows for every 128 bits of a vector: those of row i + 4 b lie in block b of vector i.
template <class At>
HWY_INLINE V four_of_each(const At& at, int i) {
  const F4 d4;
#if HWY_MAX_BYTES >= 64
  if constexpr (hn::MaxLanes(F()) == 16) {
    const hn::FixedTag<float, 8> d8;
    const auto low = hn::Combine(d8, hn::LoadU(d4, at(i + 4)), hn::LoadU(d4, at(i)));
    const auto high = hn::Combine(d8, hn::LoadU(d4, at(i + 12)), hn::LoadU(d4, at(i + 8)));
    return hn::Combine(F(), high, low);
  } else
#endif
  {
    if constexpr (hn::MaxLanes(F()) == 8)
      return hn::Combine(F(), hn::LoadU(d4, at(i + 4)), hn::LoadU(d4, at(i)));
    else
      return hn::LoadU(d4, at(i));
  }
}
// Columns [0, 4) of as many rows as a vector has lanes, row i at at(i), are given to take(column, vector).
template <class At, class Take>
HWY_INLINE void turn_rows(const At& at, const Take& take) {
  V a = four_of_each(at, 0), b = four_of_each(at, 1), c = four_of_each(at, 2), e = four_of_each(at, 3);
  transpose4(F(), a, b, c, e);
  take(0, a);
  take(1, b);
  take(2, c);
  take(3, e);
}
#endif

void pack(const float* const* from, std::int64_t column, std::int64_t rows, std::int64_t size, float factor,
          float* to) {
  std::int64_t r = 0;
#if HWY_TARGET != HWY_SCALAR
  const F4 d4;
  const V4 by = hn::Set(d4, factor);
  for (; column == 1 && r + block_lanes() <= rows; r += block_lanes()) {
    const float* const* p = from + r;
    std::int64_t d = 0;
    for (; d + 4 <= size; d += 4)
      turn_rows([&](int i) HWY_ATTR { return p[i] + d; },
                [&](int i, V turned) HWY_ATTR {
                  hn::StoreU(hn::Mul(turned, constant(factor)), F(), to + (d + i) * kAttentionRows + r);
                });
    for (; d < size; ++d)
      for (std::int64_t i = 0; i < block_lanes(); ++i) to[d * kAttentionRows + r + i] = p[i][d] * factor;
  }
  for (; column == 1 && r + 4 <= rows; r += 4) {
    const float *p0 = from[r], *p1 = from[r + 1], *p2 = from[r + 2], *p3 = from[r + 3];
    std::int64_t d = 0;
    for (; d + 4 <= size; d += 4) {
      V4 a = hn::LoadU(d4, p0 + d), b = hn::LoadU(d4, p1 + d), c = hn::LoadU(d4, p2 + d), e = hn::LoadU(d4, p3 + d);
      transpose4(d4, a, b, c, e);
      float* at = to + d * kAttentionRows + r;
      hn::StoreU(hn::Mul(a, by), d4, at);
      hn::StoreU(hn::Mul(b, by), d4, at + kAttentionRows);
      hn::StoreU(hn::Mul(c, by), d4, at + 2 * kAttentionRows);
      hn::StoreU(hn::Mul(e, by), d4, at + 3 * kAttentionRows);
    }
    for (; d < size; ++d)
      for (std::int64_t i = 0; i < 4; ++i) to[d * kAttentionRows + r + i] = from[r + i][d] * factor;
  }
#endif
  for (std::int64_t d = 0; d < size; ++d) {
    float* line = to + d * kAttentionRows;
    for (std::int64_t i = r; i < rows; ++i) line[i] = from[i][d * column] * factor;
    for (std::int64_t i = rows; i < kAttentionRows; ++i) line[i] = 0.0f;
  }
}

// `keys` keys times `vectors` vectors of queries: the sums stay in registers.
template <int keys, int vectors>
HWY_NOINLINE void score_tile(std::int64_t size, const float* k, std::int64_t k_row, std::int64_t k_column,
                             const float* queries, float* scores) {
  const F d;
  const std::int64_t lanes = block_lanes();
  V sums[keys][vectors];
#pragma GCC unroll 12
  for (auto& row : sums)
    for (V& sum : row) sum = hn::Zero(d);
  for (std::int64_t i = 0; i < size; ++i, queries += kAttentionRows, k += k_column) {
    V right[vectors];
    for (int v = 0; v < vectors; ++v) right[v] = hn::LoadU(d, queries + v * lanes);
#pragma GCC unroll 12
    for (int j = 0; j < keys; ++j) {
      const V left = hn::Set(d, k[j * k_row]);
      for (int v = 0; v < vectors; ++v) sums[j][v] = hn::MulAdd(left, right[v], sums[j][v]);
    }
  }
#pragma GCC unroll 12
  for (int j = 0; j < keys; ++j)
    for (int v = 0; v < vectors; ++v) hn::StoreU(sums[j][v], d, scores + j * kAttentionRows + v * lanes);
}

// The last tile begins where it ends with the last key: what it computes again has the same bits.
template <int tile, int vectors>
void score_tiles(std::int64_t keys, std::int64_t size, const float* k, std::int64_t k_row, std::int64_t k_column,
                 const float* queries, float* scores) {
  if (keys < tile) {
    for (std::int64_t j = 0; j < keys; ++j)
      score_tile<1, vectors>(size, k + j * k_row, k_row, k_column, queries, scores + j * kAttentionRows);
    return;
  }
  for (std::int64_t j = 0; j < keys; j += tile) {
    const std::int64_t at = j + tile <= keys ? j : keys - tile;
    score_tile<tile, vectors>(size, k + at * k_row, k_row, k_column, queries, scores + at * kAttentionRows);
  }
}

void multiply_keys(std::int64_t keys, std::int64_t size, const float* k, std::int64_t k_row, std::int64_t k_column,
                   const float* queries, float* scores, std::int64_t rows) {
  const std::int64_t lanes = block_lanes(), vectors = (rows + lanes - 1) / lanes;
#if HWY_MAX_BYTES >= 64
  constexpr std::int64_t kGroup = 4;
  constexpr decltype(&score_tiles<1, 1>) kTiles[] = {score_tiles<12, 1>, score_tiles<12, 2>, score_tiles<8, 3>,
                                                     score_tiles<6, 4>};
#else
  constexpr std::int64_t kGroup = 2;
  constexpr decltype(&score_tiles<1, 1>) kTiles[] = {score_tiles<6, 1>, score_tiles<6, 2>};
#endif
  for (std::int64_t v = 0; v < vectors; v += kGroup) {
    const std::int64_t group = vectors - v < kGroup ? vectors - v : kGroup;
    kTiles[group - 1](keys, size, k, k_row, k_column, queries + v * lanes, scores + v * lanes);
  }
}

void hide(float* scores, std::int64_t keys, std::int64_t first, const std::int32_t* low, const std::int32_t* high,
          std::int64_t rows) {
  const V hidden = constant(-std::numeric_limits<float>::infinity());
  for (std::int64_t r = 0; r < rows; r += block_lanes()) {
    const VI from = hn::LoadU(I(), low + r), to = hn::LoadU(I(), high + r);
    VI key = hn::Set(I(), static_cast<std::int32_t>(first));
    for (std::int64_t j = 0; j < keys; ++j) {
      float* at = scores + j * kAttentionRows + r;
      const auto seen = hn::AndNot(hn::Lt(key, from), hn::Lt(key, to));
      hn::StoreU(hn::IfThenElse(hn::RebindMask(F(), seen), hn::LoadU(F(), at), hidden), F(), at);
      key = hn::Add(key, hn::Set(I(), 1));
    }
  }
}

void choose(float* scores, std::int64_t keys, const std::uint8_t* flags, bool set_hides, float hidden,
            std::int64_t rows) {
  const hn::Rebind<std::uint8_t, I> bytes;
  const V other = constant(hidden);
  for (std::int64_t j = 0; j < keys; ++j)
    for (std::int64_t r = j * kAttentionRows; r < j * kAttentionRows + rows; r += block_lanes()) {
      const auto unset = hn::RebindMask(F(), hn::Eq(hn::PromoteTo(I(), hn::LoadU(bytes, flags + r)), hn::Zero(I())));
      const V score = hn::LoadU(F(), scores + r);
      hn::StoreU(set_hides ? hn::IfThenElse(unset, score, other) : hn::IfThenElse(unset, other, score), F(),
                 scores + r);
    }
}

void add_column(float* scores, std::int64_t keys, const float* mask, std::int64_t stride, std::int64_t rows) {
  for (std::int64_t j = 0; j < keys; ++j) {
    const V m = constant(mask[j * stride]);
    float* at = scores + j * kAttentionRows;
    for (std::int64_t r = 0; r < rows; r += block_lanes()) hn::StoreU(hn::Add(hn::LoadU(F(), at + r), m), F(), at + r);
  }
}

void add_rows(float* scores, std::int64_t keys, const float* const* mask, std::int64_t rows) {
  constexpr std::int64_t kAtOnce = 16;  // keys whose scores stay in the first cache
  for (std::int64_t r = 0; r < rows; ++r) __builtin_prefetch(mask[r], 0);
  for (std::int64_t j0 = 0; j0 < keys; j0 += kAtOnce) {
    const std::int64_t end = keys - j0 < kAtOnce ? keys : j0 + kAtOnce;
    std::int64_t r = 0;
#if HWY_TARGET != HWY_SCALAR
    for (; r + block_lanes() <= rows; r += block_lanes()) {
      const float* const* p = mask + r;
      // A few elements of each of many rows are no pattern that the hardware would see.
      if (end < keys)
        for (std::int64_t i = 0; i < block_lanes(); ++i) __builtin_prefetch(p[i] + end + kAtOnce - 1, 0);
      std::int64_t j = j0;
      for (; j + 4 <= end; j += 4)
        turn_rows([&](int i) HWY_ATTR { return p[i] + j; },
                  [&](int i, V turned) HWY_ATTR {
                    float* at = scores + (j + i) * kAttentionRows + r;
                    hn::StoreU(hn::Add(hn::LoadU(F(), at), turned), F(), at);
                  });
      for (; j < end; ++j)
        for (std::int64_t i = 0; i < block_lanes(); ++i) scores[j * kAttentionRows + r + i] += p[i][j];
    }
    const F4 d4;
    for (; r + 4 <= rows; r += 4) {
      std::int64_t j = j0;
      for (; j + 4 <= end; j += 4) {
        V4 m[4];
        for (int i = 0; i < 4; ++i) m[i] = hn::LoadU(d4, mask[r + i] + j);
        transpose4(d4, m[0], m[1], m[2], m[3]);
        float* at = scores + j * kAttentionRows + r;
        for (int i = 0; i < 4; ++i, at += kAttentionRows) hn::StoreU(hn::Add(hn::LoadU(d4, at), m[i]), d4, at);
      }
      for (; j < end; ++j)
        for (std::int64_t i = r; i < r + 4; ++i) scores[j * kAttentionRows + i] += mask[i][j];
    }
#endif
    for (; r < rows; ++r)
      for (std::int64_t j = j0; j < end; ++j) scores[j * kAttentionRows + r] += mask[r][j];
  }
}

void softmax_block(float* scores, std::int64_t keys, float* top, float* sum, float* factor, bool biased,
                   std::int64_t rows) {
  const V lowest = constant(-std::numeric_limits<float>::infinity());
  for (std::int64_t r = 0; r < rows; r += block_lanes()) {
    float* column = scores + r;
    // x86's Max gives the second operand where one is NaN, which then stays or goes; exp and sum find it in any case.
    V m0 = lowest, m1 = lowest;
    std::int64_t j = 0;
    for (; j + 2 <= keys; j += 2) {
      m0 = hn::Max(m0, hn::LoadU(F(), column + j * kAttentionRows));
      m1 = hn::Max(m1, hn::LoadU(F(), column + (j + 1) * kAttentionRows));
    }
    if (j < keys) m0 = hn::Max(m0, hn::LoadU(F(), column + j * kAttentionRows));
    const V before = hn::LoadU(F(), top + r);
    const V most = hn::Max(hn::Max(m0, m1), before);
    hn::StoreU(most, F(), top + r);
    const V base = biased ? hn::IfThenElse(hn::Eq(most, lowest), hn::Zero(F()), most) : most;
    // What was added up so far began with nothing where the top was -infinity.
    const V shrink = hn::IfThenElse(hn::Eq(before, lowest), hn::Zero(F()), softmax_weight(hn::Sub(before, base)));
    hn::StoreU(shrink, F(), factor + r);
    V s0 = hn::Zero(F()), s1 = hn::Zero(F());
    for (j = 0; j + 2 <= keys; j += 2) {
      float *one = column + j * kAttentionRows, *two = one + kAttentionRows;
      const V e0 = softmax_weight(hn::Sub(hn::LoadU(F(), one), base)),
              e1 = softmax_weight(hn::Sub(hn::LoadU(F(), two), base));
      hn::StoreU(e0, F(), one);
      hn::StoreU(e1, F(), two);
      s0 = hn::Add(s0, e0);
      s1 = hn::Add(s1, e1);
    }
    if (j < keys) {
      float* one = column + j * kAttentionRows;
      const V e0 = softmax_weight(hn::Sub(hn::LoadU(F(), one), base));
      hn::StoreU(e0, F(), one);
      s0 = hn::Add(s0, e0);
    }
    hn::StoreU(hn::MulAdd(hn::LoadU(F(), sum + r), shrink, hn::Add(s0, s1)), F(), sum + r);
  }
}

// `rows` queries times `vectors` vectors of values, of which the last has `tail` elements; the first `wanted` rows are
// written. Scores are read of as many rows as the tile has.
template <int rows, int vectors>
HWY_NOINLINE void value_tile(std::int64_t keys, const float* scores, const float* v, std::int64_t v_row,
                             std::int64_t tail, float* const* y, std::int64_t at, const float* by,
                             std::int64_t wanted) {
  const F d;
  const std::int64_t lanes = block_lanes();
  const bool whole = tail == lanes;
  // Every loop over the sums is unrolled, or GCC stores them at every turn beside a masked load.
  V sums[rows][vectors];
#pragma GCC unroll 12
  for (auto& row : sums)
#pragma GCC unroll 4
    for (V& sum : row) sum = hn::Zero(d);
  const auto add = [&](auto last) HWY_ATTR {
    for (std::int64_t j = 0; j < keys; ++j, scores += kAttentionRows, v += v_row) {
      V right[vectors];
      for (int i = 0; i + 1 < vectors; ++i) right[i] = hn::LoadU(d, v + i * lanes);
      right[vectors - 1] = last(v + (vectors - 1) * lanes);
#pragma GCC unroll 12
      for (int r = 0; r < rows; ++r) {
        const V left = hn::Set(d, scores[r]);
#pragma GCC unroll 4
        for (int i = 0; i < vectors; ++i) sums[r][i] = hn::MulAdd(left, right[i], sums[r][i]);
      }
    }
  };
  if (whole)
    add([&](const float* p) HWY_ATTR { return hn::LoadU(d, p); });
  else
    add([&](const float* p) HWY_ATTR { return load_tail(p, tail, 0.0f); });
#pragma GCC unroll 12
  for (int r = 0; r < rows; ++r) {
    if (r >= wanted) break;
    const V factor = constant(by == nullptr ? 1.0f : by[r]);
    float* to = y[r] + at;
#pragma GCC unroll 4
    for (int i = 0; i + 1 < vectors; ++i) hn::StoreU(hn::Mul(sums[r][i], factor), d, to + i * lanes);
    const V last = hn::Mul(sums[r][vectors - 1], factor);
    if (whole)
      hn::StoreU(last, d, to + (vectors - 1) * lanes);
    else
      store_tail(last, to + (vectors - 1) * lanes, tail);
  }
}

// As score_tiles(): the last tile computes some rows again.
template <int tile, int vectors>
void value_tiles(std::int64_t rows, std::int64_t keys, const float* scores, const float* v, std::int64_t v_row,
                 std::int64_t tail, float* const* y, std::int64_t at, const float* by) {
  static_assert(tile <= kAttentionRows);
  for (std::int64_t r = 0; r < rows; r += tile) {
    const std::int64_t first = r + tile <= rows || rows < tile ? r : rows - tile;
    value_tile<tile, vectors>(keys, scores + first, v, v_row, tail, y + first, at, by == nullptr ? by : by + first,
                              rows - first);
  }
}

void weigh(std::int64_t rows, std::int64_t keys, std::int64_t n, const float* scores, const float* v,
           std::int64_t v_row, float* const* y, std::int64_t at, const float* by) {
  const std::int64_t lanes = block_lanes(), vectors = (n + lanes - 1) / lanes;
#if HWY_MAX_BYTES >= 64
  constexpr std::int64_t kGroup = 4;
  constexpr decltype(&value_tiles<1, 1>) kTiles[] = {value_tiles<12, 1>, value_tiles<12, 2>, value_tiles<8, 3>,
                                                     value_tiles<6, 4>};
#else
  constexpr std::int64_t kGroup = 2;
  constexpr decltype(&value_tiles<1, 1>) kTiles[] = {value_tiles<6, 1>, value_tiles<6, 2>};
#endif
  for (std::int64_t i = 0; i < vectors;) {
    const std::int64_t left = vectors - i;
    const std::int64_t group = left <= kGroup ? left : left < 2 * kGroup ? (left + 1) / 2 : kGroup;
    const std::int64_t first = i * lanes, elements = n - first < group * lanes ? n - first : group * lanes;
    kTiles[group - 1](rows, keys, scores, v + first, v_row, elements - (group - 1) * lanes, y, at + first, by);
    i += group;
  }
}

void combine(float* y, const float* part, const float* factor, std::int64_t rows, std::int64_t n) {
  for (std::int64_t r = 0; r < rows; ++r, y += n, part += n) {
    const V f = constant(factor[r]);
    std::int64_t i = 0;
    for (; i + block_lanes() <= n; i += block_lanes())
      hn::StoreU(hn::MulAdd(hn::LoadU(F(), y + i), f, hn::LoadU(F(), part + i)), F(), y + i);
    if (i < n) store_tail(hn::MulAdd(load_tail(y + i, n - i, 0.0f), f, load_tail(part + i, n - i, 0.0f)), y + i, n - i);
  }
}

AttentionTable attention_loops() {
  return {pack, multiply_keys, hide, choose, add_column, add_rows, softmax_block, weigh, combine};
}

}  // namespace attention_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(attention_loops);

const AttentionTable& attention_table() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(attention_loops)(); });
}

}  // namespace norn::kernels
#endif
