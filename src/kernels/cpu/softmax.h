// Softmax and log-softmax, in float and double, over the middle of three dimensions.
#pragma once
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: x, then the output; they may be the same. Dense [outer, n, inner].
struct SoftmaxConfig {
  std::int64_t outer = 1, n = 1, inner = 1;
  bool log = false;
  DataType type = DataType::Float;
};
std::span<const Candidate<SoftmaxConfig>> softmax_candidates();

}  // namespace norn::kernels
