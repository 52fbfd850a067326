// Products of rows in 8 bits with a packed matrix of 2 or 4 bits, by AVX2's products of unsigned with signed bytes, of
// which two are added in 16 bits. Elements of at most 4 bits times signed bytes leave room for the sums of a whole
// stretch there: none saturates.
//
// As in stored_vnni.cc, shifting and masking a word of a unit gives bytes of rows that are 8 / bits apart, A's elements
// stand in the same order, and zero points are taken off with the sums of A.
#include "base/fork.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/stored.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>
#include <cstring>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif

namespace norn::kernels {
inline namespace stored_avx2_cc {
namespace {

constexpr std::int64_t kLanes = 8;
constexpr int kVectors = 2;            // of columns at a time, which is a panel's width
constexpr std::int64_t kAhead = 8192;  // bytes; what the hardware fetches ahead alone is not enough
constexpr int kQuarters = 4;           // vectors of a stretch
static_assert(kStretch == kQuarters * kLanes);
static_assert(kStretch / 2 * 15 * 128 < 1 << 15);  // half of a stretch comes to a lane of 16 bits

std::int32_t word_at(const std::int8_t* bytes) {
  std::int32_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}
__m256i load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }

__m256i plus_products(__m256i sum, __m256i right, __m256i left) {
  sum = _mm256_add_epi16(sum, _mm256_maddubs_epi16(right, left));
  asm("" : "+x"(sum));  // products that were added to each other first would want registers
  return sum;
}

// Adds the products of `deep` rows of a panel, at most a stretch, from a unit on, with `rows` rows of bytes that lie
// `row` apart, as pairs of 16 bits for each column; the unit behind.
template <int bits, bool fetches, int rows>
[[gnu::always_inline]] inline const std::uint8_t* add_units(const std::uint8_t* unit, std::int64_t deep,
                                                            const std::int8_t* left, std::int64_t row,
                                                            __m256i (&sums)[rows][kVectors]) {
  constexpr int kParts = 8 / bits;            // bytes that a byte of a word becomes
  constexpr std::int64_t kUnit = 4 * kParts;  // rows of a unit
  constexpr std::int64_t kUnitBytes = kVectors * 32;
  const __m256i mask = _mm256_set1_epi8((1 << bits) - 1);
  for (std::int64_t i = 0; i < deep; i += kUnit, unit += kUnitBytes, left += kUnit) {
    if constexpr (fetches) _mm_prefetch(unit + kAhead, _MM_HINT_T0);
    __m256i words[kVectors];
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) words[v] = load(unit + v * 32);
#pragma GCC unroll 4
    for (int part = 0; part < kParts; ++part) {
      __m256i right[kVectors];
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) right[v] = _mm256_and_si256(_mm256_srli_epi32(words[v], part * bits), mask);
#pragma GCC unroll 4
      for (int r = 0; r < rows; ++r) {
        const __m256i four = _mm256_set1_epi32(word_at(left + r * row + part * 4));
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v) sums[r][v] = plus_products(sums[r][v], right[v], four);
      }
    }
  }
  return unit;
}

// Both sums of a column together.
__m256i whole(__m256i pairs) { return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)); }

__m256 zero_points(const std::uint8_t* block, int v) {
  const auto* zeros = block + 4 * kVectors * kLanes + v * kLanes;
  return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(zeros))));
}

__m256i first_lanes(std::int64_t count) {
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(std::clamp<std::int64_t>(count, 0, kLanes))), lanes);
}

[[gnu::always_inline]] inline void put_row(const __m256 (&totals)[kVectors], float* c, std::int64_t columns,
                                           const float* bias, float alpha) {
#pragma GCC unroll 2
  for (int v = 0; v < kVectors; ++v) {
    const __m256i lanes = first_lanes(columns - v * kLanes);
    __m256 result = alpha == 1.0f ? totals[v] : _mm256_mul_ps(_mm256_set1_ps(alpha), totals[v]);
    if (bias != nullptr) result = _mm256_add_ps(result, _mm256_maskload_ps(bias + v * kLanes, lanes));
    _mm256_maskstore_ps(c + v * kLanes, lanes, result);
  }
}

// `rows` rows of A with the columns of a panel.
template <int bits, bool zeros, int rows>
void rows_by_panel(const StoredPanels& b, const std::uint8_t* block, const QuantizedRows& a, float* c,
                   std::int64_t c_row, std::int64_t columns, const float* bias, float alpha) {
  __m256 totals[rows][kVectors], zero[kVectors];
#pragma GCC unroll 2
  for (int v = 0; v < kVectors; ++v) zero[v] = _mm256_set1_ps(static_cast<float>(b.zero));
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) totals[r][v] = _mm256_setzero_ps();
  std::int64_t stretch = 0;
  for (std::int64_t k0 = 0; k0 < b.k; k0 += b.block, block += b.block_bytes()) {
    const std::uint8_t* unit = block + b.header_bytes();
    if constexpr (rows == 1) _mm_prefetch(block + kAhead, _MM_HINT_T0);
    for (std::int64_t within = 0; within < b.block && k0 + within < b.k; within += kStretch, ++stretch) {
      __m256i sums[rows][kVectors];
#pragma GCC unroll 4
      for (int r = 0; r < rows; ++r)
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v) sums[r][v] = _mm256_setzero_si256();
      // What the last block lacks in rows is multiplied by zeros.
      unit = add_units < bits,
      rows == 1 > (unit, std::min(b.block - within, kStretch), a.elements + stretch * kStretch, a.row, sums);
      const auto* scales = reinterpret_cast<const float*>(block);
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) {
        if constexpr (zeros) zero[v] = zero_points(block, v);
        const __m256 scale = _mm256_loadu_ps(scales + v * kLanes);
#pragma GCC unroll 4
        for (int r = 0; r < rows; ++r) {
          const std::int64_t at = r * a.stretches + stretch;
          const __m256 row_sum = _mm256_cvtepi32_ps(_mm256_set1_epi32(a.sums[at]));
          const __m256 product = _mm256_fnmadd_ps(zero[v], row_sum, _mm256_cvtepi32_ps(whole(sums[r][v])));
          totals[r][v] = _mm256_fmadd_ps(_mm256_mul_ps(product, scale), _mm256_set1_ps(a.scales[at]), totals[r][v]);
        }
      }
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r) put_row(totals[r], c + r * c_row, columns, bias, alpha);
}

template <int bits, bool zeros>
void multiply_rows(const StoredPanels& b, std::int64_t panel, std::int64_t m, const QuantizedRows& a, float* c,
                   std::int64_t c_row, std::int64_t columns, const float* bias, float alpha) {
  static constexpr decltype(&rows_by_panel<bits, zeros, 1>) kRows[] = {
      rows_by_panel<bits, zeros, 1>, rows_by_panel<bits, zeros, 2>, rows_by_panel<bits, zeros, 3>,
      rows_by_panel<bits, zeros, 4>};
  kRows[m - 1](b, b.data + panel * b.panel_bytes(), a, c, c_row, columns, bias, alpha);
}

void multiply(const StoredPanels& b, std::int64_t panel, std::int64_t m, const QuantizedRows& a, float* c,
              std::int64_t c_row, std::int64_t columns, const float* bias, float alpha) {
  const auto of = b.form == StoredForm::Bits2 ? (b.zeros ? multiply_rows<2, true> : multiply_rows<2, false>)
                                              : (b.zeros ? multiply_rows<4, true> : multiply_rows<4, false>);
  of(b, panel, m, a, c, c_row, columns, bias, alpha);
}

struct Stretch {
  __m256 x[kQuarters];
  float most;  // of their sizes; it may have passed over NaN
  float odd;   // 0 if all are finite, else NaN
};
__m256 magnitude(__m256 x) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x); }

// A stretch, or the `left` elements that are left and zeros.
[[gnu::always_inline]] inline Stretch stretch_at(const float* a, std::int64_t a_column, std::int64_t left) {
  alignas(32) float row[kStretch];
  if (a_column != 1 || left < kStretch) {
    for (std::int64_t i = 0; i < kStretch; ++i) row[i] = i < left ? a[i * a_column] : 0.0f;
    a = row;
  }
  Stretch s;
  __m256 most = _mm256_setzero_ps(), odd = most;
#pragma GCC unroll 4
  for (int i = 0; i < kQuarters; ++i) {
    s.x[i] = _mm256_loadu_ps(a + i * kLanes);
    most = _mm256_max_ps(magnitude(s.x[i]), most);
    odd = _mm256_fmadd_ps(s.x[i], _mm256_setzero_ps(), odd);
  }
  alignas(32) float mosts[kLanes], odds[kLanes];
  _mm256_store_ps(mosts, most);
  _mm256_store_ps(odds, odd);
  s.most = s.odd = 0;
  for (int i = 0; i < kLanes; ++i) {
    s.most = std::max(s.most, mosts[i]);
    s.odd += odds[i];
  }
  return s;
}

// Numbers that fit in bytes, in the order of a matrix's form.
void put_bytes(StoredForm form, const __m256i (&q)[kQuarters], std::int8_t* to) {
  const __m128i order = _mm_loadu_si128(reinterpret_cast<const __m128i*>(order_of_elements(form)));
  const __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(q[0], q[1]), _mm256_packs_epi32(q[2], q[3]));
  const __m256i in_turn = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_shuffle_epi8(in_turn, _mm256_broadcastsi128_si256(order)));
}

std::int32_t sum_of(__m256i v) {
  __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1)));
}

void quantize(StoredForm form, std::int64_t k, const float* a, std::int64_t a_column, std::int8_t* elements,
              float* scales, std::int32_t* sums) {
  for (std::int64_t at = 0; at < k; at += kStretch, elements += kStretch, ++scales, ++sums) {
    const Stretch s = stretch_at(a + at * a_column, a_column, k - at);
    const bool finite = s.odd == 0;
    const auto [scale, inverse] = byte_scale(s.most, s.odd);
    *scales = scale;
    __m256i q[kQuarters], sum = _mm256_setzero_si256();
#pragma GCC unroll 4
    for (int i = 0; i < kQuarters; ++i) {
      q[i] = finite ? _mm256_cvtps_epi32(_mm256_mul_ps(s.x[i], _mm256_set1_ps(inverse))) : _mm256_setzero_si256();
      sum = _mm256_add_epi32(sum, q[i]);
    }
    put_bytes(form, q, elements);
    *sums = sum_of(sum);
  }
}

bool split(StoredForm form, std::int64_t k, const float* a, std::int64_t a_column, std::int64_t plane,
           std::int8_t* planes, float* scales, float* sums) {
  for (std::int64_t at = 0; at < k; at += kStretch, planes += kStretch, ++scales, sums += 2) {
    const Stretch s = stretch_at(a + at * a_column, a_column, k - at);
    if (s.odd != 0 || !can_split(s.most)) return false;
    const __m256 little = _mm256_set1_ps(s.most * kLittle);
    int many = 0;
#pragma GCC unroll 4
    for (int i = 0; i < kQuarters; ++i)
      many += __builtin_popcount(static_cast<unsigned>(
          _mm256_movemask_ps(_mm256_and_ps(_mm256_cmp_ps(s.x[i], _mm256_setzero_ps(), _CMP_NEQ_OQ),
                                           _mm256_cmp_ps(magnitude(s.x[i]), little, _CMP_LT_OQ)))));
    if (many > kMostLittle) return false;
    const int above = exponent_above(s.most);
    *scales = power_of_two(above - 30);
    const __m256 by = _mm256_set1_ps(power_of_two(30 - above));
    __m256i q[kQuarters], bytes[kQuarters], halves[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
#pragma GCC unroll 4
    for (int i = 0; i < kQuarters; ++i) q[i] = _mm256_cvtps_epi32(_mm256_mul_ps(s.x[i], by));
    for (std::int64_t p = 0; p < kPlanes; ++p) {
      __m256i& sum = halves[p / 2];
#pragma GCC unroll 4
      for (int i = 0; i < kQuarters; ++i) {
        bytes[i] = _mm256_srai_epi32(_mm256_slli_epi32(q[i], 24), 24);
        sum = _mm256_add_epi32(sum, p % 2 == 0 ? bytes[i] : _mm256_slli_epi32(bytes[i], 8));
        q[i] = _mm256_srai_epi32(_mm256_sub_epi32(q[i], bytes[i]), 8);
      }
      put_bytes(form, bytes, planes + p * plane);
    }
    sums[0] = static_cast<float>(sum_of(halves[1]));
    sums[1] = static_cast<float>(sum_of(halves[0]));
  }
  return true;
}

template <int bits, bool zeros>
void split_by_panel(const StoredPanels& b, const std::uint8_t* block, const SplitRow& a, float* c, std::int64_t columns,
                    const float* bias, float alpha) {
  const __m256 upper_unit = _mm256_set1_ps(0x1p16f);
  __m256 totals[kVectors], zero = _mm256_set1_ps(static_cast<float>(b.zero));
#pragma GCC unroll 2
  for (int v = 0; v < kVectors; ++v) totals[v] = _mm256_setzero_ps();
  std::int64_t stretch = 0;
  for (std::int64_t k0 = 0; k0 < b.k; k0 += b.block, block += b.block_bytes()) {
    const std::uint8_t* unit = block + b.header_bytes();
    _mm_prefetch(block + kAhead, _MM_HINT_T0);
    for (std::int64_t within = 0; within < b.block && k0 + within < b.k; within += kStretch, ++stretch) {
      __m256i sums[kPlanes][kVectors];
#pragma GCC unroll 4
      for (int p = 0; p < kPlanes; ++p)
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v) sums[p][v] = _mm256_setzero_si256();
      unit = add_units<bits, true>(unit, std::min(b.block - within, kStretch), a.planes + stretch * kStretch, a.plane,
                                   sums);
      const auto* scales = reinterpret_cast<const float*>(block);
      const __m256 unit_of_row = _mm256_set1_ps(a.scales[stretch]);
      const __m256 upper_sum = _mm256_set1_ps(a.sums[2 * stretch]), lower_sum = _mm256_set1_ps(a.sums[2 * stretch + 1]);
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) {
        if constexpr (zeros) zero = zero_points(block, v);
        // Whole numbers below 2^24: a stretch's elements, bytes and zero points make no more.
        const auto half = [&](int p, __m256 sum) {
          const __m256i both = _mm256_add_epi32(_mm256_slli_epi32(whole(sums[p + 1][v]), 8), whole(sums[p][v]));
          return _mm256_fnmadd_ps(zero, sum, _mm256_cvtepi32_ps(both));
        };
        const __m256 product = _mm256_fmadd_ps(half(2, upper_sum), upper_unit, half(0, lower_sum));
        // The unit first: what it makes of the sum is exact.
        totals[v] =
            _mm256_fmadd_ps(_mm256_mul_ps(product, unit_of_row), _mm256_loadu_ps(scales + v * kLanes), totals[v]);
      }
    }
  }
  put_row(totals, c, columns, bias, alpha);
}

void multiply_split(const StoredPanels& b, std::int64_t panel, const SplitRow& a, float* c, std::int64_t columns,
                    const float* bias, float alpha) {
  const auto of = b.form == StoredForm::Bits2 ? (b.zeros ? split_by_panel<2, true> : split_by_panel<2, false>)
                                              : (b.zeros ? split_by_panel<4, true> : split_by_panel<4, false>);
  of(b, b.data + panel * b.panel_bytes(), a, c, columns, bias, alpha);
}

constexpr StoredInt8Table kTable = {kVectors * kLanes, 1, quantize, multiply, split, multiply_split};

}  // namespace
}  // namespace stored_avx2_cc
}  // namespace norn::kernels

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

namespace norn::kernels {

const StoredInt8Table* stored_int8_avx2_table() {
#if defined(__x86_64__)
  return base::made_once([]() -> const StoredInt8Table* {
    limit_instruction_set();
    return instruction_set() == "AVX2" ? &kTable : nullptr;
  });
#else
  return nullptr;
#endif
}

}  // namespace norn::kernels
