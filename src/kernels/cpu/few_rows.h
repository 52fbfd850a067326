// A few rows of bytes times a matrix of bytes as it lies in memory. Internal to the kernels.
#pragma once
#include <cstdint>

namespace norn::kernels {

struct FewRows {
  const std::int16_t* x;  // rows of bytes less their zero point, an even number of elements each
  std::int64_t x_row, rows;
  const std::uint8_t* w;  // of the first of `columns` columns
  std::int64_t w_row, depth, columns;
  bool w_is_signed;
  std::int32_t* sums;  // modulo 2^32, of weights as they are
  std::int64_t sums_row;
};

struct FewRowsTable {
  std::int64_t block;  // columns, at least
  void (*multiply)(const FewRows& p);
};
const FewRowsTable& few_rows_table();

}  // namespace norn::kernels
