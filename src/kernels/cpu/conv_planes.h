// Depthwise convolution of planes, channels first. Internal to the kernels.
#pragma once
#include <cstdint>

namespace norn::kernels {

struct PlaneWindow {
  std::int64_t rows, columns;
  const std::int64_t* at;  // where the elements of its columns lie behind the first one in a row of x
  bool neighbours;         // each of them behind the one before
  const float* weights;    // row after row
  float bias, low, high;   // bounds of the sum; NaN stays NaN
};
// Some rows of outputs of a plane, and what they read.
struct PlaneBand {
  const float* x;         // what the first row of the window meets for the first row of outputs
  std::int64_t x_row;     // elements between rows of the window
  std::int64_t x_stride;  // elements between what neighbouring rows of outputs meet
  std::int64_t rows, n;   // of outputs
  float* out;             // of `n` neighbours, row after row
};
// Rows that are copied.
struct PlaneRows {
  const float* from;
  std::int64_t from_row, to_row;  // elements between them
  std::int64_t rows, n;
  float* to;
};
struct PlaneConvTable {
  // out[o, i] = clamp(bias + sum over r, c of weights[r, c] * x[o * x_stride + r * x_row + at[c] + i]), i < n; n is
  // at least 8.
  void (*band)(const PlaneWindow& window, const PlaneBand& band);
  void (*copy)(const PlaneRows& rows);
  // The elements 0, 2, 4 .. of a row go to `to`, the others to `odd`, rows of which are as far apart.
  void (*copy_parted)(const PlaneRows& rows, float* odd);
};
const PlaneConvTable& plane_conv_table();

}  // namespace norn::kernels
