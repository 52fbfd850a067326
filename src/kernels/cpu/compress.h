// Slices that a list of booleans chooses: ONNX Compress.
#pragma once
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// x lies as [outer, n, inner], and the output is `out` with the number of slices that are chosen in place of
// dimension `axis`. Operands: x, the condition (bool, of at most n elements), then a LateOutput.
struct CompressConfig {
  std::int64_t outer = 1, n = 1, inner = 1;
  std::int64_t condition = 0;  // elements of it
  Shape out;
  std::int64_t axis = 0;
  std::size_t element_bytes = 4;  // 1, 2, 4, 8 or 16
};
std::span<const Candidate<CompressConfig>> compress_candidates();

}  // namespace norn::kernels
