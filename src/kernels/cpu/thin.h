// Products of a few rows with a matrix that is read where it lies: what a step of decoding computes. The matrix is read
// once, so memory is the bound, and nothing is packed. Internal to the kernels.
#pragma once
#include <cstdint>

namespace norn::kernels {

inline constexpr std::int64_t kThinRows = 4;

// C[m, n] = alpha * sum_k A[m, k] B[k, n] + bias[n] for m <= kThinRows; bias may be null. An element's order of
// additions follows from k alone.
struct ThinTable {
  // Rows of B are contiguous; A by strides.
  void (*by_rows)(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t a_row,
                  std::int64_t a_column, const float* b, std::int64_t b_row, float* c, std::int64_t c_row,
                  const float* bias, float alpha);
  // Columns of B are contiguous, and rows of A.
  void (*by_columns)(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t a_row, const float* b,
                     std::int64_t b_column, float* c, std::int64_t c_row, const float* bias, float alpha);
};
const ThinTable& thin_table();

}  // namespace norn::kernels
