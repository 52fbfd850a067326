// Transposing within one task. Internal to the kernels.
#pragma once
#include <cstddef>
#include <cstdint>

namespace norn::kernels {

// For elements of 1, 2, 4 or 8 bytes, wherever they lie.
struct TransposeLoops {
  // out[c * out_row + r] = x[r * x_row + c]: blocks that the first cache holds.
  void (*block)(const void* x, std::int64_t x_row, void* out, std::int64_t out_row, std::int64_t rows,
                std::int64_t columns);
  // Two to four planes as elements side by side: out[i * planes + p] = x[p * plane + i], i < n; plane in elements.
  void (*together)(const void* x, std::int64_t plane, std::int64_t planes, void* out, std::int64_t n);
  // And back: out[p * plane + i] = x[i * planes + p]
  void (*apart)(const void* x, std::int64_t planes, void* out, std::int64_t plane, std::int64_t n);
};
TransposeLoops transpose_loops(std::size_t element_bytes);

}  // namespace norn::kernels
