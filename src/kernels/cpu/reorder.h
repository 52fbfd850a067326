// From one layout to the other, f32.
#pragma once
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: x, then the output.
struct ReorderConfig {
  Shape dims;  // N, C, ...
  Layout from = Layout::Dense, to = Layout::Dense;
};
std::span<const Candidate<ReorderConfig>> reorder_candidates();

}  // namespace norn::kernels
