// An output whose coordinates name those of the input one by one, axis for axis: padding, Tile, resizing to the nearest
// element.
#pragma once
#include <array>
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: x, then the output: out[i, j, ...] = x[from[0][i], from[1][j], ...], or `fill` where one of them is -1.
struct RemapConfig {
  Shape x;
  std::vector<std::vector<std::int64_t>> from;  // one table for each dimension
  std::size_t element_bytes = 4;
  alignas(16) std::array<std::byte, 16> fill{};
};
std::span<const Candidate<RemapConfig>> remap_candidates();

}  // namespace norn::kernels
