// Rows of a matrix times one vector, in float, double or integers, which wrap. Internal to the kernels.
#pragma once
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/cpu/transpose_loops.h"

namespace norn::kernels {

// For a target's instruction set.
template <class T>
struct RowDotLoops {
  // out[r * out_step] = the sum over l < k of x[r * x_row + l] * w[l].
  void (*rows)(const T* x, std::int64_t x_row, std::int64_t rows, std::int64_t k, const T* w, T* out,
               std::int64_t out_step);
  // out[i] = the sum over l < k of x[l * columns + i] * w[l]; columns is a multiple of any vector's elements.
  void (*columns)(const T* x, std::int64_t columns, std::int64_t k, const T* w, T* out);
};
template <class T>
RowDotLoops<T> row_dot_loops();

// The order of additions follows from k alone.
template <class T>
class RowDots {
 public:
  RowDots() : loops_(row_dot_loops<T>()), turn_(transpose_loops(sizeof(T)).block) {}

  void operator()(const T* x, std::int64_t x_row, std::int64_t rows, std::int64_t k, const T* w, T* out,
                  std::int64_t out_step) const {
    if (k > kShort) return loops_.rows(x, x_row, rows, k, w, out, out_step);
    alignas(64) T columns[kShort * kTurned];
    alignas(64) T sums[kTurned];
    for (std::int64_t r = 0; r < rows; r += kTurned) {
      const std::int64_t m = std::min(kTurned, rows - r);
      turn_(x + r * x_row, x_row, columns, kTurned, m, k);
      for (std::int64_t l = 0; m < kTurned && l < k; ++l) std::fill_n(columns + l * kTurned + m, kTurned - m, T{0});
      loops_.columns(columns, kTurned, k, w, sums);
      for (std::int64_t i = 0; i < m; ++i) out[(r + i) * out_step] = sums[i];
    }
  }

 private:
  // What joins the lanes of a sum costs more than to turn so short rows into columns, so many at a time.
  static constexpr std::int64_t kShort = sizeof(T) > 4 ? 6 : std::is_floating_point_v<T> ? 12 : 32, kTurned = 64;

  RowDotLoops<T> loops_;
  decltype(TransposeLoops::block) turn_;
};

}  // namespace norn::kernels
