// Parts of rows that stay or turn round: triangles of matrices, sequences reversed. By element size; dense.
#pragma once
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: x, then the output: x on and above (`upper`) or below the diagonal that lies `k` above the main one, else
// 0.
struct TriangleConfig {
  std::int64_t matrices = 1, rows = 1, columns = 1;
  bool upper = true;
  std::int64_t k = 0;
  std::size_t element_bytes = 4;
};
std::span<const Candidate<TriangleConfig>> triangle_candidates();

// Operands: x [first, second, inner], int64 lengths, then the output: the first elements of each sequence in reverse
// order. A length outside of the steps throws RuntimeError.
struct ReverseConfig {
  std::int64_t first = 1, second = 1, inner = 1;
  bool batch_first = false;  // else the steps are
  std::size_t element_bytes = 4;
};
std::span<const Candidate<ReverseConfig>> reverse_candidates();

}  // namespace norn::kernels
