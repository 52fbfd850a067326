// (x - offset) * scale by columns, into f32; x is of float, double, int32 or int64.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "kernels/kernel.h"

namespace norn::kernels {

// Of each column of X.
struct ColumnScales {
  std::vector<float> offset, scale;
};

// Operands: x [rows, columns], then the output, which may lie where x does if that is of float.
struct ScaleConfig {
  std::shared_ptr<const ColumnScales> by;
  DataType x = DataType::Float;
  std::int64_t rows = 0, columns = 0;
};
std::span<const Candidate<ScaleConfig>> scale_candidates();

// Rows divided by their greatest element, the sum of their magnitudes, or the root of the sum of their squares, which
// is computed in double; a row whose divisor is 0 stays. Operands: as those of ScaleConfig.
enum class RowNorm : std::uint8_t { Max, L1, L2 };
struct RowNormConfig {
  RowNorm norm = RowNorm::L2;
  DataType x = DataType::Float;
  std::int64_t rows = 0, columns = 0;
};
std::span<const Candidate<RowNormConfig>> row_norm_candidates();

}  // namespace norn::kernels
