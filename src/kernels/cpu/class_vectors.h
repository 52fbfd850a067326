// ONNX OneHot: class numbers as vectors with one element on.
#pragma once
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: class numbers, outer * inner of them (int32, int64 or uint64; negative ones count from the end), the
// elements for off and on, then the output of outer * depth * inner elements. A number that is no class switches none
// on.
struct ClassVectorsConfig {
  DataType classes = DataType::Int64;
  std::int64_t outer = 1, depth = 1, inner = 1;
  std::size_t element_bytes = 4;
};
std::span<const Candidate<ClassVectorsConfig>> class_vectors_candidates();

}  // namespace norn::kernels
