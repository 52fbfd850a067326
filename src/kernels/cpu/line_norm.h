// Lines divided by their norms; a line whose norm is 0 becomes 0.
#pragma once
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: x, of outer * n * inner elements, then the output. The norm along n is the sum of magnitudes (p is 1) or
// the root of the sum of squares (p is 2).
struct LineNormConfig {
  DataType type = DataType::Float;  // Float or Double
  int p = 2;
  std::int64_t outer = 1, n = 1, inner = 1;
};
std::span<const Candidate<LineNormConfig>> line_norm_candidates();

}  // namespace norn::kernels
