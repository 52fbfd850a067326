// Two rows of the matrix at a time: their bytes are widened and interleaved, and a column's two multiplied by a pair of
// each row.
#include "kernels/cpu/few_rows.h"

#include <algorithm>
#include <cstring>

#include "base/fork.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/few_rows_simd.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/math-inl.h"
#include "kernels/cpu/pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
inline namespace few_rows_simd_cc {

#if HWY_TARGET == HWY_SCALAR

constexpr std::int64_t kBlock = 1;

void multiply(const FewRows& p) {
  for (std::int64_t r = 0; r < p.rows; ++r)
    for (std::int64_t c = 0; c < p.columns; ++c) {
      std::uint32_t sum = 0;
      for (std::int64_t k = 0; k < p.depth; ++k) {
        const std::uint8_t byte = p.w[k * p.w_row + c];
        const std::int32_t w = p.w_is_signed ? static_cast<std::int8_t>(byte) : byte;
        sum += static_cast<std::uint32_t>(p.x[r * p.x_row + k] * w);
      }
      p.sums[r * p.sums_row + c] = static_cast<std::int32_t>(sum);
    }
}

#else

constexpr std::int64_t kBlock = HWY_MAX_BYTES / 2;
constexpr std::int64_t kQuarter = 4;  // sums of 16 bytes, within which vectors are interleaved

// `blocks` blocks of columns, of some rows.
template <class T, int rows, int blocks>
void multiply_block(const FewRows& p, std::int64_t row, std::int64_t column) {
  const hn::Rebind<T, D16> narrow;
  const D16 d16;
  VI low[rows][blocks], high[rows][blocks];  // in registers, as every loop over them is unrolled
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int b = 0; b < blocks; ++b) low[r][b] = high[r][b] = hn::Zero(I());
  const T* w = reinterpret_cast<const T*>(p.w) + column;
  const std::int16_t* x = p.x + row * p.x_row;
  for (std::int64_t k = 0; k < p.depth; k += 2, w += 2 * p.w_row) {
    const T* const next = k + 1 < p.depth ? w + p.w_row : w;  // times 0 behind the last
    V16 pair[rows];
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
      std::int32_t two;
      std::memcpy(&two, x + r * p.x_row + k, sizeof two);
      pair[r] = hn::BitCast(d16, hn::Set(I(), two));
    }
#pragma GCC unroll 4
    for (int b = 0; b < blocks; ++b) {
      const V16 first = hn::PromoteTo(d16, hn::LoadU(narrow, w + b * kBlock));
      const V16 second = hn::PromoteTo(d16, hn::LoadU(narrow, next + b * kBlock));
      const V16 lower = hn::InterleaveLower(d16, first, second), upper = hn::InterleaveUpper(d16, first, second);
#pragma GCC unroll 4
      for (int r = 0; r < rows; ++r) {
        low[r][b] = add_pair_products(pair[r], lower, low[r][b]);
        high[r][b] = add_pair_products(pair[r], upper, high[r][b]);
      }
    }
  }
  HWY_ALIGN std::int32_t sums[2][kBlock / 2];
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int b = 0; b < blocks; ++b) {
      hn::Store(low[r][b], I(), sums[0]);
      hn::Store(high[r][b], I(), sums[1]);
      std::int32_t* const to = p.sums + (row + r) * p.sums_row + column + b * kBlock;
      for (std::int64_t c = 0; c < kBlock; ++c)
        to[c] = sums[c / kQuarter % 2][c / kQuarter / 2 * kQuarter + c % kQuarter];
    }
}

template <class T, int rows>
void multiply_rows(const FewRows& p, std::int64_t row) {
  constexpr int kBlocks = rows == 1 ? 4 : rows == 2 ? 2 : 1;
  std::int64_t column = 0;
  for (; column + kBlocks * kBlock <= p.columns; column += kBlocks * kBlock)
    multiply_block<T, rows, kBlocks>(p, row, column);
  // The last may overlap the one before.
  for (; column < p.columns; column += kBlock) multiply_block<T, rows, 1>(p, row, std::min(column, p.columns - kBlock));
}

template <class T>
void multiply_all(const FewRows& p) {
  std::int64_t row = 0;
  for (; row + 4 <= p.rows; row += 4) multiply_rows<T, 4>(p, row);
  switch (p.rows - row) {
    case 1: return multiply_rows<T, 1>(p, row);
    case 2: return multiply_rows<T, 2>(p, row);
    case 3: return multiply_rows<T, 3>(p, row);
    default: return;
  }
}

void multiply(const FewRows& p) {
  if (p.w_is_signed) return multiply_all<std::int8_t>(p);
  multiply_all<std::uint8_t>(p);
}

#endif

FewRowsTable few_rows() { return {kBlock, multiply}; }

}  // namespace few_rows_simd_cc
}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(few_rows);

const FewRowsTable& few_rows_table() {
  return base::made_once([] { return HWY_DYNAMIC_DISPATCH(few_rows)(); });
}

}  // namespace norn::kernels
#endif
