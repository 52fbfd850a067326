// The register tile of products for each instruction set, in the compiler's vectors: rows of A times vectors of a panel
// of B. The order of additions follows from the shape alone.
#include "kernels/cpu/contraction.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/contraction_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace norn::kernels {
namespace HWY_NAMESPACE {
namespace products {

// Of a register: the compiler keeps no sums of longer vectors in several. Every machine has some of 16.
constexpr std::size_t kBytes = HWY_MAX_BYTES < 16 ? 16 : HWY_MAX_BYTES;
constexpr int kVectors = kBytes >= 64 ? 4 : 2;
constexpr int kRows = 6;
constexpr std::int64_t kDepth = 512;
// Of a B whose rows lie apart, for few rows of A, where a panel is narrow: so many lie on as many pages, and memory is
// read row by row.
constexpr std::int64_t kRowsTogether = 32;
constexpr std::int64_t kAtOnce = 2;  // rows of A for which those of B are read one after the other
constexpr std::int64_t kFirstCache = 24 << 10;
constexpr std::int64_t kSecondCache = 512 << 10;
constexpr std::int64_t kThin = 64;

template <class T>
constexpr std::int64_t kLanes = static_cast<std::int64_t>(kBytes / sizeof(T));
template <class T>
constexpr std::int64_t kWidth = kVectors * kLanes<T>;

// The first n of a vector's elements; masked where that does not touch what lies behind.
template <class T>
HWY_INLINE void store_some(const T* from, std::int64_t n, T* to) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  const hwy::HWY_NAMESPACE::ScalableTag<T> d;
  hwy::HWY_NAMESPACE::BlendedStore(hwy::HWY_NAMESPACE::LoadU(d, from),
                                   hwy::HWY_NAMESPACE::FirstN(d, static_cast<std::size_t>(n)), d, to);
#else
  std::copy_n(from, n, to);
#endif
}

// n is at most `vectors` of them.
template <class T, int rows, int vectors>
HWY_NOINLINE void tile(std::int64_t k, const T* HWY_RESTRICT a, std::int64_t a_row, std::int64_t a_column,
                       const T* HWY_RESTRICT b, std::int64_t b_row, T* HWY_RESTRICT c, std::int64_t c_row,
                       std::int64_t n, bool add) {
  typedef T Vec __attribute__((vector_size(kBytes)));
  constexpr std::int64_t width = vectors * kLanes<T>;
  // Unrolled, so that they stay in registers from the first to the last.
  Vec sums[rows][vectors];
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) sums[r][v] = Vec{};
  for (std::int64_t i = 0; i < k; ++i, b += b_row, a += a_column) {
    Vec right[vectors];
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) std::memcpy(&right[v], b + v * kLanes<T>, kBytes);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      const T left = a[r * a_row];
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) sums[r][v] += right[v] * left;
    }
  }
  if (n == width && !add) {
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) std::memcpy(c + r * c_row + v * kLanes<T>, &sums[r][v], kBytes);
    return;
  }
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
      T* to = c + r * c_row + v * kLanes<T>;
      const std::int64_t rest = n - v * kLanes<T>;
      if (rest >= kLanes<T>) {
        if (add) {
          Vec before;
          std::memcpy(&before, to, kBytes);
          sums[r][v] += before;
        }
        std::memcpy(to, &sums[r][v], kBytes);
      } else if (rest > 0) {
        T row[kLanes<T>];
        std::memcpy(row, &sums[r][v], kBytes);
        if (add)
          for (std::int64_t j = 0; j < rest; ++j) row[j] = static_cast<T>(row[j] + to[j]);
        store_some(row, rest, to);
      }
    }
  }
}

// Rows of B one after the other, where so few rows of A read each of them once: memory is read as it lies, and sums
// stay in the first cache. Products are added in the order of k.
template <class T>
void add_rows(std::int64_t m, std::int64_t n, std::int64_t k, const T* HWY_RESTRICT a, std::int64_t a_row,
              std::int64_t a_column, const T* HWY_RESTRICT b, std::int64_t b_row, T* HWY_RESTRICT c, std::int64_t c_row,
              bool add) {
  constexpr std::int64_t kTogether = 4, kColumns = (std::int64_t{8} << 10) / static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t n0 = 0; n0 < n; n0 += kColumns) {
    const std::int64_t columns = std::min(kColumns, n - n0);
    for (std::int64_t r = 0; r < m && !add; ++r) std::fill_n(c + r * c_row + n0, columns, T{0});
    for (std::int64_t i = 0; i < k; i += kTogether) {
      const std::int64_t deep = std::min(kTogether, k - i);
      for (std::int64_t r = 0; r < m; ++r) {
        const T* HWY_RESTRICT from = b + i * b_row + n0;
        const T* left = a + r * a_row + i * a_column;
        T* HWY_RESTRICT to = c + r * c_row + n0;
        if (deep == kTogether) {
          const T l0 = left[0], l1 = left[a_column], l2 = left[2 * a_column], l3 = left[3 * a_column];
          const T *b1 = from + b_row, *b2 = b1 + b_row, *b3 = b2 + b_row;
          for (std::int64_t j = 0; j < columns; ++j)
            to[j] = to[j] + from[j] * l0 + b1[j] * l1 + b2[j] * l2 + b3[j] * l3;
          continue;
        }
        for (std::int64_t d = 0; d < deep; ++d, from += b_row, left += a_column)
          for (std::int64_t j = 0; j < columns; ++j) to[j] += from[j] * *left;
      }
    }
  }
}

template <class T>
using Tile = void (*)(std::int64_t, const T*, std::int64_t, std::int64_t, const T*, std::int64_t, T*, std::int64_t,
                      std::int64_t, bool);
template <class T, int vectors>
Tile<T> tile_of(std::int64_t rows) {
  switch (rows) {
    case 1: return tile<T, 1, vectors>;
    case 2: return tile<T, 2, vectors>;
    case 3: return tile<T, 3, vectors>;
    case 4: return tile<T, 4, vectors>;
    case 5: return tile<T, 5, vectors>;
    default: return tile<T, 6, vectors>;
  }
}

template <class T>
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const T* a, std::int64_t a_row, std::int64_t a_column,
              const T* b, std::int64_t panel_stride, std::int64_t row_stride, T* c, std::int64_t c_row, bool add) {
  constexpr std::int64_t width = kWidth<T>;
  // Not of floats, whose long sums are taken in parts.
  if (!std::is_same_v<T, float> && kBytes < 64 && m <= kAtOnce && row_stride > width && panel_stride == width)
    return add_rows(m, n, k, a, a_row, a_column, b, row_stride, c, c_row, add);
  const std::int64_t depth = kBytes < 64 && m <= kRows && row_stride > width ? kRowsTogether : kDepth;
  for (std::int64_t k0 = 0; k0 == 0 || k0 < k; k0 += depth) {
    const std::int64_t deep = std::min(depth, k - k0);
    const auto product = [&](std::int64_t m0, std::int64_t n0) {
      const std::int64_t rows = std::min<std::int64_t>(kRows, m - m0), columns = std::min(width, n - n0);
      const Tile<T> tile = columns <= kLanes<T>                       ? tile_of<T, 1>(rows)
                           : kVectors > 2 && columns <= 2 * kLanes<T> ? tile_of<T, 2>(rows)
                                                                      : tile_of<T, kVectors>(rows);
      tile(deep, a + m0 * a_row + k0 * a_column, a_row, a_column, b + n0 / width * panel_stride + k0 * row_stride,
           row_stride, c + m0 * c_row + n0, c_row, columns, add || k0 != 0);
    };
    // The tile of A stays in the first cache if all of B does, too: the result is then written row after row. So it is
    // better, if B stays in the second cache, where writing takes longer than few products.
    const std::int64_t bytes = deep * n * static_cast<std::int64_t>(sizeof(T));
    if (bytes <= kFirstCache || (bytes <= kSecondCache && k <= kThin)) {
      for (std::int64_t m0 = 0; m0 < m; m0 += kRows)
        for (std::int64_t n0 = 0; n0 < n; n0 += width) product(m0, n0);
    } else {
      for (std::int64_t n0 = 0; n0 < n; n0 += width)
        for (std::int64_t m0 = 0; m0 < m; m0 += kRows) product(m0, n0);
    }
  }
}

template <class T>
ProductLoops<T> loops() {
  return {kWidth<T>, multiply<T>};
}

}  // namespace products

ProductLoops<float> product_loops_f32() { return products::loops<float>(); }
ProductLoops<double> product_loops_f64() { return products::loops<double>(); }
ProductLoops<std::uint32_t> product_loops_u32() { return products::loops<std::uint32_t>(); }
ProductLoops<std::uint64_t> product_loops_u64() { return products::loops<std::uint64_t>(); }

}  // namespace HWY_NAMESPACE
}  // namespace norn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace norn::kernels {

HWY_EXPORT(product_loops_f32);
HWY_EXPORT(product_loops_f64);
HWY_EXPORT(product_loops_u32);
HWY_EXPORT(product_loops_u64);

template <>
ProductLoops<float> product_loops() {
  return HWY_DYNAMIC_DISPATCH(product_loops_f32)();
}
template <>
ProductLoops<double> product_loops() {
  return HWY_DYNAMIC_DISPATCH(product_loops_f64)();
}
template <>
ProductLoops<std::uint32_t> product_loops() {
  return HWY_DYNAMIC_DISPATCH(product_loops_u32)();
}
template <>
ProductLoops<std::uint64_t> product_loops() {
  return HWY_DYNAMIC_DISPATCH(product_loops_u64)();
}

}  // namespace norn::kernels
#endif
