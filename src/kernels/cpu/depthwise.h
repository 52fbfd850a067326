// Rows of a depthwise convolution with channels last. Internal to the kernels.
#pragma once
#include <cstdint>

namespace norn::kernels {

inline constexpr std::int64_t kDepthwiseTallest = 128;  // rows of a window

// One row of outputs, of some channels: addresses are those of the first of them.
struct DepthwiseRow {
  // Of x, at its first column, one for each row of the window, of all its planes; null for padding.
  const float* rows[kDepthwiseTallest];
  std::int64_t height;                   // of the window
  std::int64_t width, stride, dilation;  // of the window along a row
  std::int64_t columns, outputs, left;   // columns of x, pixels of the output, and of padding before the first column
  std::int64_t x_pixel, w_pixel, out_pixel;  // floats from one column to the next
  std::int64_t channels;                     // at least DepthwiseTable::lanes
  const float *weights, *bias;               // weights of row after row; bias may be null
  float low, high;                           // bounds of the sums; NaN stays NaN
};
struct DepthwiseTable {
  std::int64_t lanes;
  // For windows of 1, 3, 5 and 7 columns with strides of 1 and 2.
  void (*loops[4][2])(const DepthwiseRow& row, float* out);
  void (*any)(const DepthwiseRow& row, float* out);  // for all windows
};
const DepthwiseTable& depthwise_table();
// Null where there is none.
inline auto depthwise_loop(std::int64_t height, std::int64_t width, std::int64_t stride, std::int64_t dilation)
    -> void (*)(const DepthwiseRow& row, float* out) {
  const bool has_loop = height <= kDepthwiseTallest && width % 2 == 1 && width <= 7 && stride <= 2;
  return has_loop && (dilation == 1 || width == 1) ? depthwise_table().loops[width / 2][stride - 1] : nullptr;
}

}  // namespace norn::kernels
