// From one layout to the other.
#pragma once
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: x, then the output.
struct ReorderConfig {
  Shape dims;  // N, C, ...
  Layout from = Layout::Dense, to = Layout::Dense;
  std::size_t element_bytes = 4;  // 1, 2, 4 or 8
};
std::span<const Candidate<ReorderConfig>> reorder_candidates();

}  // namespace norn::kernels
