// Reductions over any set of axes, dense f32. Sums are taken in an order that follows from the shape alone.
#pragma once
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

enum class ReduceKind : std::uint8_t { Sum, Mean, Max, Min, Prod, SumSquare, L1, L2 };

// Operands: x, then the output (its elements in row-major order of the axes that stay).
struct ReduceConfig {
  ReduceKind kind = ReduceKind::Sum;
  Shape x;
  std::vector<std::int64_t> axes;  // each in [0, rank), ascending; empty reduces nothing
};
std::span<const Candidate<ReduceConfig>> reduce_candidates();

}  // namespace norn::kernels
