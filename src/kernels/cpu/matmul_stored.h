// Matrix products, f32, with a constant matrix that is kept in memory as the model stores it: integers of 2, 4 or 8
// bits with a scale for each block of rows of a column, narrow floats, float16 and bfloat16. Products and sums are
// those of f32: the result is what widening the matrix first gives, but for the order and rounding of sums. One or two
// rows beside integers of 2 and 4 bits may be taken in fixed point, 32 elements at a time, each of which then is off by
// at most 2^-30 of their largest, and half of which are 0 or no less than 2^-11 of it; sums of 32 products are exact.
#pragma once
#include <span>

#include "kernels/cpu/matmul.h"

namespace norn::kernels {

// Operands: a, null, c (null without one), extras..., then the output, as MatMulConfig has them.
struct StoredMatMulConfig {
  // The product with the widened matrix, dense and of rank 2; b_constant is what is stored, of `type`, one byte to an
  // element below 8 bits.
  MatMulConfig product;
  DataType type = DataType::Undefined;
  // Element (k, n) of the matrix, in elements of what is stored.
  std::int64_t row = 0, column = 0;
  // An element is (stored - zero) * scale. Those of (k, n) lie at k / block * scale_row + n / columns * scale_column.
  DataType scale_type = DataType::Undefined;  // Undefined: the stored elements as they are
  const void* scales = nullptr;
  const void* zeros = nullptr;  // of the stored type; null: 0
  std::int64_t block = 0, columns = 1, scale_row = 0, scale_column = 0;

  auto fields() const noexcept {
    return std::tie(product, type, row, column, scale_type, scales, zeros, block, columns, scale_row, scale_column);
  }
};

std::span<const Candidate<StoredMatMulConfig>> stored_matmul_candidates();
// Those that round A to 8 bits, with a scale for each 32 elements of a row, and sum products of integers.
std::span<const Candidate<StoredMatMulConfig>> stored_matmul_int8_candidates();

}  // namespace norn::kernels
