// Products of rows in 8 bits with a packed matrix of 2 or 4 bits, by the dot products of AVX-512 VNNI: four products of
// bytes to a lane. A word of a unit holds the rows of a column one behind the other, so that shifting and masking it
// gives bytes of rows that are 8 / bits apart; A's elements stand in the same order.
//
// The packed elements are not negative, and stay without their zero points: these are taken off with the sums of A.
// For a CPU of its own, Cascade Lake, Highway has no target, hence the intrinsics.
#include "kernels/cpu/stored.h"

#include "kernels/cpu/instruction_set.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>
#include <cstring>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")
#endif

namespace norn::kernels {
namespace {

constexpr std::int64_t kLanes = 16;
constexpr int kVectors = 4;            // of columns at a time, which is a panel's width
constexpr std::int64_t kAhead = 8192;  // bytes; what the hardware fetches ahead alone is not enough
static_assert(kStretch == 2 * kLanes);

std::int32_t word_at(const std::int8_t* bytes) {
  std::int32_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

__mmask16 first_lanes(std::int64_t count) {
  return count >= kLanes ? static_cast<__mmask16>(0xffff) : static_cast<__mmask16>((1u << (count > 0 ? count : 0)) - 1);
}

// Adds the products of `deep` rows of a panel, from a unit on, with `rows` rows of bytes that lie `row` apart; the unit
// behind. Fetching ahead costs one row of 8 bits a tenth of its time.
template <int bits, bool fetches, int rows>
[[gnu::always_inline]] inline const std::uint8_t* add_units(const std::uint8_t* unit, std::int64_t unit_bytes,
                                                            std::int64_t deep, const std::int8_t* left,
                                                            std::int64_t row, __m512i (&sums)[rows][kVectors]) {
  constexpr int kParts = 8 / bits;            // bytes that a byte of a word becomes
  constexpr std::int64_t kUnit = 4 * kParts;  // rows of a unit
  const __m512i mask = _mm512_set1_epi8((1 << bits) - 1);
  for (std::int64_t i = 0; i < deep; i += kUnit, unit += unit_bytes, left += kUnit) {
    __m512i words[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      words[v] = _mm512_loadu_si512(unit + v * 64);
      if constexpr (fetches) _mm_prefetch(unit + kAhead + v * 64, _MM_HINT_T0);
    }
#pragma GCC unroll 4
    for (int part = 0; part < kParts; ++part) {
      __m512i right[kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v)
        right[v] = _mm512_and_si512(_mm512_srli_epi32(words[v], static_cast<unsigned>(part * bits)), mask);
#pragma GCC unroll 4
      for (int r = 0; r < rows; ++r) {
        const __m512i four = _mm512_set1_epi32(word_at(left + r * row + part * 4));
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) sums[r][v] = _mm512_dpbusd_epi32(sums[r][v], right[v], four);
      }
    }
  }
  return unit;
}

__m512i zero_points(const std::uint8_t* block, std::int64_t width, int v) {
  return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 4 * width + v * kLanes)));
}

[[gnu::always_inline]] inline void put_row(const __m512 (&totals)[kVectors], float* c, std::int64_t columns,
                                           const float* bias, float alpha) {
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    const __mmask16 lanes = first_lanes(columns - v * kLanes);
    __m512 result = alpha == 1.0f ? totals[v] : _mm512_mul_ps(_mm512_set1_ps(alpha), totals[v]);
    if (bias != nullptr) result = _mm512_add_ps(result, _mm512_maskz_loadu_ps(lanes, bias + v * kLanes));
    _mm512_mask_storeu_ps(c + v * kLanes, lanes, result);
  }
}

// `rows` rows of A with the 64 columns of a panel.
template <int bits, bool zeros, int rows>
void rows_by_panel(const StoredPanels& b, const std::uint8_t* block, const QuantizedRows& a, float* c,
                   std::int64_t c_row, std::int64_t columns, const float* bias, float alpha) {
  const std::int64_t unit_bytes = b.unit_bytes();
  __m512 totals[rows][kVectors];
  for (auto& row : totals)
    for (__m512& total : row) total = _mm512_setzero_ps();
  std::int64_t stretch = 0;
  for (std::int64_t k0 = 0; k0 < b.k; k0 += b.block, block += b.block_bytes()) {
    const std::uint8_t* unit = block + b.header_bytes();
    for (std::int64_t within = 0; within < b.block && k0 + within < b.k; within += kStretch, ++stretch) {
      __m512i sums[rows][kVectors];
      for (int r = 0; r < rows; ++r) {
        const __m512i start =
            zeros ? _mm512_setzero_si512() : _mm512_set1_epi32(-b.zero * a.sums[r * a.stretches + stretch]);
        for (__m512i& sum : sums[r]) sum = start;
      }
      const std::int8_t* left = a.elements + stretch * kStretch;
      // What the last block lacks in rows is multiplied by zeros.
      unit = add_units<bits, false>(unit, unit_bytes, std::min(b.block - within, kStretch), left, a.row, sums);
      const auto* scales = reinterpret_cast<const float*>(block);
      for (int v = 0; v < kVectors; ++v) {
        const __m512 scale = _mm512_loadu_ps(scales + v * kLanes);
        __m512i zero = _mm512_setzero_si512();
        if constexpr (zeros) zero = zero_points(block, b.width, v);
        for (int r = 0; r < rows; ++r) {
          __m512i sum = sums[r][v];
          if constexpr (zeros)
            sum = _mm512_sub_epi32(sum, _mm512_mullo_epi32(zero, _mm512_set1_epi32(a.sums[r * a.stretches + stretch])));
          totals[r][v] = _mm512_fmadd_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(sum), scale),
                                         _mm512_set1_ps(a.scales[r * a.stretches + stretch]), totals[r][v]);
        }
      }
    }
  }
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

__m128i order_of(StoredForm form) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(order_of_elements(form))); }

struct Stretch {
  __m512 x[2];
  float most;  // of their sizes; it may have passed over NaN
  float odd;   // 0 if all are finite, else NaN
};
// A stretch, or the `left` elements that are left and zeros.
[[gnu::always_inline]] inline Stretch stretch_at(const float* a, std::int64_t a_column, std::int64_t left) {
  const std::int64_t count = std::min(left, kStretch);
  __m512 low, high;
  if (a_column == 1) {
    low = _mm512_maskz_loadu_ps(first_lanes(count), a);
    high = _mm512_maskz_loadu_ps(first_lanes(count - kLanes), a + kLanes);
  } else {
    alignas(64) float row[kStretch] = {};
    for (std::int64_t i = 0; i < count; ++i) row[i] = a[i * a_column];
    low = _mm512_load_ps(row);
    high = _mm512_load_ps(row + kLanes);
  }
  const __m512 zero = _mm512_setzero_ps();
  const float most = _mm512_reduce_max_ps(_mm512_max_ps(_mm512_abs_ps(low), _mm512_abs_ps(high)));
  const float odd = _mm512_reduce_add_ps(_mm512_add_ps(_mm512_mul_ps(low, zero), _mm512_mul_ps(high, zero)));
  return {{low, high}, most, odd};
}

void quantize(StoredForm form, std::int64_t k, const float* a, std::int64_t a_column, std::int8_t* elements,
              float* scales, std::int32_t* sums) {
  const __m128i order = order_of(form);
  for (std::int64_t at = 0; at < k; at += kStretch, elements += kStretch, ++scales, ++sums) {
    const auto [x, most, odd] = stretch_at(a + at * a_column, a_column, k - at);
    const bool finite = odd == 0;
    const auto [scale, inverse] = byte_scale(most, odd);
    *scales = scale;
    __m512i sum = _mm512_setzero_si512();
    for (int half = 0; half < 2; ++half) {
      const __m512i q =
          finite ? _mm512_cvtps_epi32(_mm512_mul_ps(x[half], _mm512_set1_ps(inverse))) : _mm512_setzero_si512();
      sum = _mm512_add_epi32(sum, q);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(elements + half * kLanes),
                       _mm_shuffle_epi8(_mm512_cvtsepi32_epi8(q), order));
    }
    *sums = _mm512_reduce_add_epi32(sum);
  }
}

bool split(StoredForm form, std::int64_t k, const float* a, std::int64_t a_column, std::int64_t plane,
           std::int8_t* planes, float* scales, float* sums) {
  const __m128i order = order_of(form);
  for (std::int64_t at = 0; at < k; at += kStretch, planes += kStretch, ++scales, sums += 2) {
    const auto [x, most, odd] = stretch_at(a + at * a_column, a_column, k - at);
    if (odd != 0 || !can_split(most)) return false;
    const __m512 little = _mm512_set1_ps(most * kLittle);
    int many = 0;
    for (const __m512& v : x)
      many += __builtin_popcount(_mm512_mask_cmp_ps_mask(_mm512_cmp_ps_mask(v, _mm512_setzero_ps(), _CMP_NEQ_OQ),
                                                         _mm512_abs_ps(v), little, _CMP_LT_OQ));
    if (many > kMostLittle) return false;
    const int above = exponent_above(most);
    *scales = power_of_two(above - 30);
    const __m512 by = _mm512_set1_ps(power_of_two(30 - above));
    __m512i upper = _mm512_setzero_si512(), lower = upper;
    for (int half = 0; half < 2; ++half) {
      __m512i q = _mm512_cvtps_epi32(_mm512_mul_ps(x[half], by));
      for (std::int64_t p = 0; p < kPlanes; ++p) {
        const __m512i byte = _mm512_srai_epi32(_mm512_slli_epi32(q, 24), 24);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(planes + p * plane + half * kLanes),
                         _mm_shuffle_epi8(_mm512_cvtepi32_epi8(byte), order));
        __m512i& sum = p < 2 ? lower : upper;
        sum = _mm512_add_epi32(sum, p % 2 == 0 ? byte : _mm512_slli_epi32(byte, 8));
        q = _mm512_srai_epi32(_mm512_sub_epi32(q, byte), 8);
      }
    }
    sums[0] = static_cast<float>(_mm512_reduce_add_epi32(upper));
    sums[1] = static_cast<float>(_mm512_reduce_add_epi32(lower));
  }
  return true;
}

template <int bits, bool zeros>
void split_by_panel(const StoredPanels& b, const std::uint8_t* block, const SplitRow& a, float* c, std::int64_t columns,
                    const float* bias, float alpha) {
  const __m512 upper_unit = _mm512_set1_ps(0x1p16f);
  const std::int64_t unit_bytes = b.unit_bytes();
  __m512 totals[kVectors], zero = _mm512_set1_ps(static_cast<float>(b.zero));
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) totals[v] = _mm512_setzero_ps();
  std::int64_t stretch = 0;
  for (std::int64_t k0 = 0; k0 < b.k; k0 += b.block, block += b.block_bytes()) {
    const std::uint8_t* unit = block + b.header_bytes();
    for (std::int64_t at = 0; at < b.header_bytes(); at += 64) _mm_prefetch(block + kAhead + at, _MM_HINT_T0);
    for (std::int64_t within = 0; within < b.block && k0 + within < b.k; within += kStretch, ++stretch) {
      __m512i sums[kPlanes][kVectors];
#pragma GCC unroll 4
      for (int p = 0; p < kPlanes; ++p)
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) sums[p][v] = _mm512_setzero_si512();
      const std::int8_t* left = a.planes + stretch * kStretch;
      unit = add_units<bits, true>(unit, unit_bytes, std::min(b.block - within, kStretch), left, a.plane, sums);
      const auto* scales = reinterpret_cast<const float*>(block);
      const __m512 unit_of_row = _mm512_set1_ps(a.scales[stretch]);
      const __m512 upper_sum = _mm512_set1_ps(a.sums[2 * stretch]), lower_sum = _mm512_set1_ps(a.sums[2 * stretch + 1]);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        if constexpr (zeros) zero = _mm512_cvtepi32_ps(zero_points(block, b.width, v));
        // Whole numbers below 2^24: a stretch's elements, bytes and zero points make no more.
        const auto half = [&](int p, __m512 sum) {
          const __m512i both = _mm512_add_epi32(_mm512_slli_epi32(sums[p + 1][v], 8), sums[p][v]);
          return _mm512_fnmadd_ps(zero, sum, _mm512_cvtepi32_ps(both));
        };
        const __m512 product = _mm512_fmadd_ps(half(2, upper_sum), upper_unit, half(0, lower_sum));
        // The unit first: what it makes of the sum is exact.
        totals[v] =
            _mm512_fmadd_ps(_mm512_mul_ps(product, unit_of_row), _mm512_loadu_ps(scales + v * kLanes), totals[v]);
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

constexpr StoredInt8Table kTable = {kVectors * kLanes, kSplitRows, quantize, multiply, split, multiply_split};

}  // namespace
}  // namespace norn::kernels

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

namespace norn::kernels {

const StoredInt8Table* stored_int8_table() {
#if defined(__x86_64__)
  return has_vnni() ? &kTable : stored_int8_avx2_table();
#else
  return nullptr;
#endif
}

}  // namespace norn::kernels
