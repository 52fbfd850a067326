// The same in pairs of bfloat16, by AVX-512's dot products of them. Highway has no target with these for the CPUs
// between Cascade Lake and Sapphire Rapids, hence the intrinsics.
#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/windows.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>
#include <cstring>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")
#endif

namespace norn::kernels {
namespace {

constexpr std::int64_t kLanes = 16;
constexpr int kVectors = 4, kSums = 24;

using Pairs = __m512bh;

std::int32_t pair_at(const std::uint16_t* x) {
  std::int32_t pair;
  std::memcpy(&pair, x, sizeof pair);
  return pair;
}

// One of so many columns that there are.
__mmask16 columns_of(std::int64_t count) {
  return count >= kLanes ? static_cast<__mmask16>(0xffff) : static_cast<__mmask16>((1u << (count > 0 ? count : 0)) - 1);
}

template <int rows, int vectors>
void tile(const WindowProduct& p, std::int64_t row) {
  __m512 sums[rows][vectors];
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) {
    const __m512 start = p.bias == nullptr
                             ? _mm512_setzero_ps()
                             : _mm512_maskz_loadu_ps(columns_of(p.columns - v * kLanes), p.bias + v * kLanes);
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r) sums[r][v] = start;
  }
  if (p.added != nullptr) {
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v)
        sums[r][v] = _mm512_add_ps(sums[r][v], _mm512_maskz_loadu_ps(columns_of(p.columns - v * kLanes),
                                                                     p.added + (row + r) * p.c_row + v * kLanes));
  }
  const auto* w = static_cast<const std::uint16_t*>(p.w);
  const void* const* addresses = p.x + row;
  for (std::int64_t tap = 0; tap < p.taps; ++tap, addresses += p.x_tap) {
    const std::uint16_t* x[rows];
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r) x[r] = static_cast<const std::uint16_t*>(addresses[r]) + p.offset;
    for (std::int64_t k = 0; k < p.depth; k += 2, w += vectors * 2 * kLanes) {
      __m512i right[vectors];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) right[v] = _mm512_loadu_si512(w + v * 2 * kLanes);
#pragma GCC unroll 12
      for (int r = 0; r < rows; ++r) {
        const Pairs left = reinterpret_cast<Pairs>(_mm512_set1_epi32(pair_at(x[r] + k)));
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v)
          sums[r][v] = _mm512_dpbf16_ps(sums[r][v], left, reinterpret_cast<Pairs>(right[v]));
      }
    }
  }
  const __m512 low = _mm512_set1_ps(p.low), high = _mm512_set1_ps(p.high);
#pragma GCC unroll 12
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      // The second operand where one is not a number: NaN stays.
      const __m512 bounded = _mm512_maskz_min_ps(0xffff, high, _mm512_maskz_max_ps(0xffff, low, sums[r][v]));
      _mm512_mask_storeu_ps(p.c + (row + r) * p.c_row + v * kLanes, columns_of(p.columns - v * kLanes), bounded);
    }
}

template <int count, int vectors>
void tiles(const WindowProduct& p, std::int64_t& row, std::int64_t rows) {
  for (; row + count <= rows; row += count) tile<count, vectors>(p, row);
}

template <int vectors>
void panel(const WindowProduct& p, std::int64_t rows) {
  constexpr int kMost = std::min(kSums / vectors, 12);
  std::int64_t row = 0;
  tiles<kMost, vectors>(p, row, rows);
  if constexpr (kMost > 6) tiles<6, vectors>(p, row, rows);
  tiles<4, vectors>(p, row, rows);
  tiles<3, vectors>(p, row, rows);
  tiles<2, vectors>(p, row, rows);
  tiles<1, vectors>(p, row, rows);
}

void multiply(const WindowProduct& p, std::int64_t rows) {
  switch ((p.columns + kLanes - 1) / kLanes) {
    case 1: return panel<1>(p, rows);
    case 2: return panel<2>(p, rows);
    case 3: return panel<3>(p, rows);
    default: return panel<4>(p, rows);
  }
}

void round(std::int64_t rows, std::int64_t columns, const float* from, std::int64_t from_row, std::uint16_t* to,
           std::int64_t to_row) {
  for (std::int64_t r = 0; r < rows; ++r, from += from_row, to += to_row)
    for (std::int64_t i = 0; i < columns; i += kLanes) {
      const __mmask16 there = columns_of(columns - i);
      const __m256bh halves = _mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(there, from + i));
      _mm256_mask_storeu_epi16(to + i, there, reinterpret_cast<__m256i>(halves));
    }
}

constexpr WindowTable kTable = {kLanes, kVectors* kLanes, multiply, round};

}  // namespace
}  // namespace norn::kernels

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

namespace norn::kernels {

const WindowTable* rounded_window_table() {
#if defined(__x86_64__)
  return has_bfloat16_products() ? &kTable : nullptr;
#else
  return nullptr;
#endif
}

}  // namespace norn::kernels
