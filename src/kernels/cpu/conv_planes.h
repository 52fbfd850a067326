// Depthwise convolution of planes, channels first. Internal to the kernels.
#pragma once
#include <cstdint>

namespace norn::kernels {

struct PlaneWindow {
  std::int64_t rows, columns;
  std::int64_t apart;     // how far columns are from each other in a row of x
  const float* weights;   // row after row
  float bias, low, high;  // bounds of the sum; NaN stays NaN
};
struct PlaneConvTable {
  // n is at least 8. out[i] = clamp(bias + sum over r, c of weights[r, c] * x[r][c * apart + i]), i < n.
  void (*row)(const PlaneWindow& window, const float* const* x, std::int64_t n, float* out);
  // Of two rows of outputs, the second of which has the window one row further down: window.rows + 1 rows of x.
  void (*rows)(const PlaneWindow& window, const float* const* x, std::int64_t n, float* out, float* next);
};
const PlaneConvTable& plane_conv_table();

}  // namespace norn::kernels
