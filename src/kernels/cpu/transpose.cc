// By blocks that fit the first cache; f32-sized elements four by four in vector registers.
#include "kernels/cpu/transpose.h"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/physical.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace norn::kernels {
namespace {

#if defined(__SSE2__)
// Squares of 8 x 8 elements of 2 bytes, and of 16 x 16 bytes: neighbours are interleaved until columns are rows.
void square_2(const char* x, std::int64_t x_row, char* out, std::int64_t out_row) {
  __m128i v[8], w[8];
  for (int i = 0; i < 8; ++i) v[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i * x_row));
  for (int i = 0; i < 4; ++i) {
    w[2 * i] = _mm_unpacklo_epi16(v[i], v[i + 4]);
    w[2 * i + 1] = _mm_unpackhi_epi16(v[i], v[i + 4]);
  }
  for (int i = 0; i < 4; ++i) {
    v[2 * i] = _mm_unpacklo_epi16(w[i], w[i + 4]);
    v[2 * i + 1] = _mm_unpackhi_epi16(w[i], w[i + 4]);
  }
  for (int i = 0; i < 4; ++i) {
    w[2 * i] = _mm_unpacklo_epi16(v[i], v[i + 4]);
    w[2 * i + 1] = _mm_unpackhi_epi16(v[i], v[i + 4]);
  }
  for (int i = 0; i < 8; ++i) _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i * out_row), w[i]);
}
void square_1(const char* x, std::int64_t x_row, char* out, std::int64_t out_row) {
  __m128i v[16], w[16];
  for (int i = 0; i < 16; ++i) v[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i * x_row));
  const auto interleave = [](const __m128i* from, __m128i* to) {
    for (int i = 0; i < 8; ++i) {
      to[2 * i] = _mm_unpacklo_epi8(from[i], from[i + 8]);
      to[2 * i + 1] = _mm_unpackhi_epi8(from[i], from[i + 8]);
    }
  };
  interleave(v, w);
  interleave(w, v);
  interleave(v, w);
  interleave(w, v);
  for (int i = 0; i < 16; ++i) _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i * out_row), v[i]);
}
#endif

// Rows [r0, r1) and columns [c0, c1).
template <class T>
void block(const T* x, T* out, std::int64_t x_row, std::int64_t out_row, std::int64_t r0, std::int64_t r1,
           std::int64_t c0, std::int64_t c1) {
  std::int64_t c = c0;
#if defined(__SSE2__)
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
  if constexpr (sizeof(T) <= 2) {
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    constexpr std::int64_t kSide = 16 / size;
    for (; c + kSide <= c1; c += kSide) {
      std::int64_t r = r0;
      for (; r + kSide <= r1; r += kSide) {
        const char* from = reinterpret_cast<const char*>(x + r * x_row + c);
        char* to = reinterpret_cast<char*>(out + c * out_row + r);
        (size == 1 ? square_1 : square_2)(from, x_row * size, to, out_row * size);
      }
      for (; r < r1; ++r)
        for (std::int64_t k = c; k < c + kSide; ++k) out[k * out_row + r] = x[r * x_row + k];
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
