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

// Internal to the kernels. out[2 * i] = out[2 * i + 1] = x[i], i < n, and the same in `below` unless that is null.
// With `fetches`, what lies as far behind the two is fetched, to be written next.
using TwiceLoop = void (*)(const void* x, std::int64_t n, void* out, void* below, bool fetches);
TwiceLoop twice_loop(std::size_t element_bytes);  // null but for 1, 2 and 4

}  // namespace norn::kernels
