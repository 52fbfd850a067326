// Many matrices of the same size, each transposed. Internal to the kernels.
#pragma once
#include <cstddef>
#include <cstdint>

#include "base/division.h"

namespace norn::kernels {

// An element of 2, 4, 8 or 16 bytes wherever it lies: several small ones that move together may begin at any of them.
template <class T>
struct [[gnu::packed]] Loose {
  T value;
};
struct Wide {
  std::uint64_t low, high;
};

// [batch, rows, columns] -> [batch, columns, rows], elements of 1, 2, 4, 8 or 16 bytes; in parallel.
void transpose_matrices(const void* x, void* out, std::int64_t batch, std::int64_t rows, std::int64_t columns,
                        std::size_t element_bytes);

// A strided grid over which something repeats: offsets into x and into out, in elements.
struct GridDim {
  std::int64_t size, x_stride, out_stride;
};
// Offsets of a point, counted through all dimensions, the innermost last.
struct GridOffsets {
  std::int64_t x = 0, out = 0;
};
inline GridOffsets grid_offsets(const GridDim* grid, std::size_t dims, std::int64_t point) {
  GridOffsets at;
  for (std::size_t d = dims; d-- > 0;) {
    const auto [outer, index] = base::divide(point, grid[d].size);
    at.x += index * grid[d].x_stride;
    at.out += index * grid[d].out_stride;
    point = outer;
  }
  return at;
}
// For each point of `grid` (outermost first): out[c * out_row + r] = x[r * x_row + c], r < rows, c < columns; parallel.
void transpose_grid(const void* x, void* out, const GridDim* grid, std::size_t dims, std::int64_t rows,
                    std::int64_t columns, std::int64_t x_row, std::int64_t out_row, std::size_t element_bytes);

}  // namespace norn::kernels
