// (x - offset) * scale by columns, f32.
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

// Operands: x [rows, columns], then the output, which may lie where x does.
struct ScaleConfig {
  std::shared_ptr<const ColumnScales> by;
  DataType x = DataType::Float;
  std::int64_t rows = 0, columns = 0;
};
std::span<const Candidate<ScaleConfig>> scale_candidates();

}  // namespace norn::kernels
