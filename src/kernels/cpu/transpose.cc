// By blocks that fit the first cache.
#include "kernels/cpu/transpose.h"

#include <algorithm>
#include <numeric>

#include "base/division.h"
#include "kernels/cpu/copy_rows.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/transpose_loops.h"

namespace norn::kernels {
inline namespace transpose_cc {
namespace {

// Elements of 16 bytes.
void block_of_wide(const void* x_data, std::int64_t x_row, void* out_data, std::int64_t out_row, std::int64_t rows,
                   std::int64_t columns) {
  const auto* x = static_cast<const Loose<Wide>*>(x_data);
  auto* out = static_cast<Loose<Wide>*>(out_data);
  for (std::int64_t c = 0; c < columns; ++c)
    for (std::int64_t r = 0; r < rows; ++r) out[c * out_row + r] = x[r * x_row + c];
}

// Prefetches what comes next, whose lines lie too far apart for the hardware prefetcher.
void fetch_block(const std::byte* x, std::int64_t x_row, const std::byte* out, std::int64_t out_row, std::int64_t rows,
                 std::int64_t columns, std::int64_t size) {
  constexpr std::int64_t kLine = 64;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t at = 0; at < columns * size; at += kLine) __builtin_prefetch(x + r * x_row + at, 0);
  for (std::int64_t c = 0; c < columns; ++c)
    for (std::int64_t at = 0; at < rows * size; at += kLine) __builtin_prefetch(out + c * out_row + at, 1);
}

void over_grid(const std::byte* x, std::byte* out, const GridDim* grid, std::size_t dims, std::int64_t rows,
               std::int64_t columns, std::int64_t x_row, std::int64_t out_row, std::int64_t size) {
  TransposeLoops loops{block_of_wide, nullptr, nullptr};
  if (size <= 8) loops = transpose_loops(static_cast<std::size_t>(size));
  // Few rows, or few columns, that are all there is: planes to put together, or to take apart.
  constexpr std::int64_t kPlanes = 4, kLong = 16;
  const bool together = loops.together && rows > 1 && rows <= kPlanes && out_row == rows && columns >= kLong;
  const bool apart = loops.apart && columns > 1 && columns <= kPlanes && x_row == columns && rows >= kLong;
  const std::int64_t side = together || apart ? 2048 : size == 1 ? 128 : 64;
  std::int64_t points = 1;
  for (std::size_t d = 0; d < dims; ++d) points *= grid[d].size;
  // What the caches hold comes sooner than it takes to ask for it; a slow third cache is asked, too.
  const std::int64_t cached = has_slow_third_cache() ? std::int64_t{256} << 10 : std::int64_t{8} << 20;
  const bool fetches = points * rows * columns * size > cached;
  const std::int64_t along = apart ? rows : columns, across = apart ? columns : rows;
  // What is left over at an end and is less than a square of vectors goes with what is before it.
  constexpr std::int64_t kSquare = 16;
  const std::int64_t strips = std::max<std::int64_t>(1, (along + side - kSquare) / side);
  // Rows whose lines fall on the same places of the first cache: as many as it keeps until all columns are read.
  constexpr std::int64_t kPage = 4096, kWays = 8;
  const std::int64_t near = std::max<std::int64_t>(kWays * (kPage / std::gcd(x_row * size, kPage)), size == 1 ? 16 : 8);
  const double strip_ns = 0.4 * static_cast<double>(across * std::min(along, side)) + 10;
  parallel_ranges(points * strips, strip_ns, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto [point, strip] = base::divide(i, strips);
      const std::int64_t first = strip * side, n = strip + 1 == strips ? along - first : side;
      const GridOffsets at = grid_offsets(grid, dims, point);
      const std::byte* from = x + at.x * size;
      std::byte* to = out + at.out * size;
      if (together) {
        loops.together(from + first * size, x_row, rows, to + first * rows * size, n);
      } else if (apart) {
        loops.apart(from + first * columns * size, columns, to + first * size, out_row, n);
      } else {
        from += first * size;
        to += first * out_row * size;
        for (std::int64_t r = 0, height; r < rows; r += height) {
          height = std::min(near, rows - r < side + kSquare ? rows - r : side);
          if (const std::int64_t next = r + height; fetches && next < rows)
            fetch_block(from + next * x_row * size, x_row * size, to + next * size, out_row * size,
                        std::min(rows - next, side), n, size);
          loops.block(from + r * x_row * size, x_row, to + r * size, out_row, height, n);
        }
      }
    }
  });
}

}  // namespace
}  // namespace transpose_cc

void transpose_matrices(const void* x, void* out, std::int64_t batch, std::int64_t rows, std::int64_t columns,
                        std::size_t element_bytes) {
  if (batch * rows * columns == 0) return;
  if (rows == 1 || columns == 1) {
    copy_bytes(static_cast<char*>(out), static_cast<const char*>(x),
               batch * rows * columns * static_cast<std::int64_t>(element_bytes));
    return;
  }
  const GridDim grid{batch, rows * columns, rows * columns};
  transpose_grid(x, out, &grid, 1, rows, columns, columns, rows, element_bytes);
}

void transpose_grid(const void* x, void* out, const GridDim* grid, std::size_t dims, std::int64_t rows,
                    std::int64_t columns, std::int64_t x_row, std::int64_t out_row, std::size_t element_bytes) {
  over_grid(static_cast<const std::byte*>(x), static_cast<std::byte*>(out), grid, dims, rows, columns, x_row, out_row,
            static_cast<std::int64_t>(element_bytes));
}

}  // namespace norn::kernels
