// By blocks that fit the first cache; f32-sized elements four by four in vector registers.
#include "kernels/cpu/transpose.h"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/physical.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace norn::kernels {
namespace {

// Rows [r0, r1) and columns [c0, c1).
template <class T>
void block(const T* x, T* out, std::int64_t x_row, std::int64_t out_row, std::int64_t r0, std::int64_t r1,
           std::int64_t c0, std::int64_t c1) {
  std::int64_t c = c0;
#if defined(__SSE__)
  if constexpr (sizeof(T) == 4) {
    for (; c + 4 <= c1; c += 4) {
      std::int64_t r = r0;
      for (; r + 4 <= r1; r += 4) {
        const float* from = reinterpret_cast<const float*>(x + r * x_row + c);
        float* to = reinterpret_cast<float*>(out + c * out_row + r);
        __m128 a = _mm_loadu_ps(from), b = _mm_loadu_ps(from + x_row), d = _mm_loadu_ps(from + 2 * x_row),
               e = _mm_loadu_ps(from + 3 * x_row);
        _MM_TRANSPOSE4_PS(a, b, d, e);
        _mm_storeu_ps(to, a);
        _mm_storeu_ps(to + out_row, b);
        _mm_storeu_ps(to + 2 * out_row, d);
        _mm_storeu_ps(to + 3 * out_row, e);
      }
      for (; r < r1; ++r)
        for (std::int64_t k = c; k < c + 4; ++k) out[k * out_row + r] = x[r * x_row + k];
    }
  }
#endif
  for (; c < c1; ++c)
    for (std::int64_t r = r0; r < r1; ++r) out[c * out_row + r] = x[r * x_row + c];
}

template <class T>
void over_grid(const T* x, T* out, const GridDim* grid, std::size_t dims, std::int64_t rows, std::int64_t columns,
               std::int64_t x_row, std::int64_t out_row) {
  constexpr std::int64_t kSide = 64;
  std::int64_t points = 1;
  for (std::size_t d = 0; d < dims; ++d) points *= grid[d].size;
  const std::int64_t strips = (columns + kSide - 1) / kSide;
  const double strip_ns = 0.4 * static_cast<double>(rows * std::min(columns, kSide)) + 10;
  parallel_ranges(points * strips, strip_ns, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t c0 = i % strips * kSide, c1 = std::min(columns, c0 + kSide);
      std::int64_t rest = i / strips, x_at = 0, out_at = 0;
      for (std::size_t d = dims; d-- > 0;) {
        x_at += rest % grid[d].size * grid[d].x_stride;
        out_at += rest % grid[d].size * grid[d].out_stride;
        rest /= grid[d].size;
      }
      for (std::int64_t r0 = 0; r0 < rows; r0 += kSide)
        block(x + x_at, out + out_at, x_row, out_row, r0, std::min(rows, r0 + kSide), c0, c1);
    }
  });
}

template <class T>
void transpose(const T* x, T* out, std::int64_t batch, std::int64_t rows, std::int64_t columns) {
  if (rows <= 4 && rows < columns) {  // a few planes to interleave
    parallel_ranges(batch * columns, 0.5 * static_cast<double>(rows), 256, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end;) {
        const std::int64_t matrix = i / columns, first = i % columns, last = std::min(columns, first + (end - i));
        const T* from = x + matrix * rows * columns;
        T* to = out + matrix * rows * columns + first * rows;
        if (rows == 3) {
          for (std::int64_t c = first; c < last; ++c, to += 3) {
            to[0] = from[c];
            to[1] = from[columns + c];
            to[2] = from[2 * columns + c];
          }
        } else {
          for (std::int64_t c = first; c < last; ++c)
            for (std::int64_t r = 0; r < rows; ++r) *to++ = from[r * columns + c];
        }
        i += last - first;
      }
    });
    return;
  }
  const GridDim grid{batch, rows * columns, rows * columns};
  over_grid(x, out, &grid, 1, rows, columns, columns, rows);
}

// Calls as(T{}) for a type of that many bytes.
template <class F>
void by_size(std::size_t bytes, F&& as) {
  switch (bytes) {
    case 1: return as(std::uint8_t{});
    case 2: return as(Loose<std::uint16_t>{});
    case 4: return as(Loose<std::uint32_t>{});
    case 8: return as(Loose<std::uint64_t>{});
    default: return as(Loose<Wide>{});
  }
}

}  // namespace

void transpose_matrices(const void* x, void* out, std::int64_t batch, std::int64_t rows, std::int64_t columns,
                        std::size_t element_bytes) {
  if (batch * rows * columns == 0) return;
  if (rows == 1 || columns == 1) {
    const std::size_t elements = static_cast<std::size_t>(batch * rows * columns);
    std::memcpy(out, x, elements * element_bytes);
    return;
  }
  by_size(element_bytes, [&](auto element) {
    using T = decltype(element);
    transpose(static_cast<const T*>(x), static_cast<T*>(out), batch, rows, columns);
  });
}

void transpose_grid(const void* x, void* out, const GridDim* grid, std::size_t dims, std::int64_t rows,
                    std::int64_t columns, std::int64_t x_row, std::int64_t out_row, std::size_t element_bytes) {
  by_size(element_bytes, [&](auto element) {
    using T = decltype(element);
    over_grid(static_cast<const T*>(x), static_cast<T*>(out), grid, dims, rows, columns, x_row, out_row);
  });
}

}  // namespace norn::kernels
