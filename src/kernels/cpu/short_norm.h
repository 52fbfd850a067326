// Normalisation of many rows of few elements: a block of rows is turned, so that each row has a lane of its own and
// nothing is done for a row alone. Internal to the kernels.
#pragma once
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/cpu/transpose_loops.h"

namespace norn::kernels {

inline constexpr std::int64_t kNormBlock = 64;     // rows at a time
inline constexpr std::int64_t kShortNormRow = 64;  // elements of a row at most
inline constexpr std::int64_t kFewNorms = 8;       // rows that do without

// How rows are normalised: (x - mean) / sqrt(variance + epsilon) * scale + bias. Scale and bias are null or have an
// element for each column, or one for each row.
template <class T>
struct ShortNormForm {
  T epsilon = 0;
  bool root_mean_square = false;
  bool rounds_to_float = false;  // T is double: x is rounded to float first
  const T *scale = nullptr, *bias = nullptr;
  const T *row_scale = nullptr, *row_bias = nullptr;  // both or none, of kNormBlock rows
};

// For a target's instruction set: `rows` rows of n elements, turned, in place: element c of row r is at
// x[c * kNormBlock + r]. Of rows behind these some are computed as well.
template <class T>
using NormalizeTurned = void (*)(T* x, std::int64_t n, std::int64_t rows, const ShortNormForm<T>& form);
NormalizeTurned<float> normalize_turned_f32();
NormalizeTurned<double> normalize_turned_f64();

// Turned rows as well: divided by the norm of each, the sum of magnitudes (p is 1) or the root of the sum of squares
// (p is 2, in double). Element c of row r is at x[c * step * kNormBlock + r]; each sum goes to `sums`, which has
// kNormBlock elements.
template <class T>
using DivideTurned = void (*)(T* x, std::int64_t n, std::int64_t step, std::int64_t rows, int p, double* sums);
DivideTurned<float> divide_turned_f32();
DivideTurned<double> divide_turned_f64();

// f(turned) of up to kNormBlock rows that lie behind each other; `out` may lie where x does.
template <class T, class F>
void in_turned_rows(const TransposeLoops& turn, const T* x, T* out, std::int64_t n, std::int64_t rows, const F& f) {
  alignas(64) T turned[kShortNormRow * kNormBlock];
  if (rows < kNormBlock) std::fill_n(turned, n * kNormBlock, T{0});
  const bool few = n >= 2 && n <= 4;
  if (n == 1)
    std::copy_n(x, rows, turned);
  else if (few)
    turn.apart(x, n, turned, kNormBlock, rows);
  else
    turn.block(x, n, turned, kNormBlock, rows, n);
  f(turned);
  if (n == 1)
    std::copy_n(turned, rows, out);
  else if (few)
    turn.together(turned, kNormBlock, n, out, rows);
  else
    turn.block(turned, kNormBlock, out, n, n, rows);
}

template <class T>
class ShortNorm {
 public:
  ShortNorm() : turn_(transpose_loops(sizeof(T))) {
    if constexpr (std::is_same_v<T, float>)
      normalize_ = normalize_turned_f32();
    else
      normalize_ = normalize_turned_f64();
  }

  // Up to kNormBlock rows that lie behind each other; `out` may lie where x does.
  void operator()(const T* x, T* out, std::int64_t n, std::int64_t rows, const ShortNormForm<T>& form) const {
    in_turned_rows(turn_, x, out, n, rows, [&](T* turned) { normalize_(turned, n, rows, form); });
  }

 private:
  TransposeLoops turn_;
  NormalizeTurned<T> normalize_;
};

}  // namespace norn::kernels
