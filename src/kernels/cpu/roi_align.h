// Averages or maxima of samples between elements, in the bins of regions: ONNX RoiAlign. Samples outside of the image
// count as 0; a region whose coordinates are not finite gives NaN.
#pragma once
#include <cstdint>
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// All of float. Operands: x [batch, channels, rows, columns], channels last; regions [regions, 4]: left, top, right,
// bottom; the image of each (int64), which is checked; then the output [regions, channels, height, width], dense.
struct RoiAlignConfig {
  std::int64_t batch = 1, channels = 1, rows = 1, columns = 1, regions = 1;
  std::int64_t height = 1, width = 1;  // bins
  std::int64_t sampling_ratio = 0;     // 0: as many samples as the region has elements
  float spatial_scale = 1;
  bool maximum = false;     // of elements times their weights, not the average of samples
  bool half_pixel = false;  // coordinates are moved by a half
};
std::span<const Candidate<RoiAlignConfig>> roi_align_candidates();

// What a bin reads of an axis: where, in elements from the image's first, and its weight.
struct RoiTap {
  std::int64_t at;
  float weight;
};
// A sample between two positions of an axis, which may be one and the same.
struct RoiSample {
  std::int64_t low, high;
  float low_weight, high_weight;
};

// Channels of one bin for a target's instruction set: `image` is the first of them of the image's first pixel.
struct RoiLoops {
  // The sum over all pairs of taps.
  void (*sum)(const float* image, std::span<const RoiTap> down, std::span<const RoiTap> across, std::int64_t channels,
              float* out) = nullptr;
  // The greatest of `least` and the weighted elements around all pairs of samples; NaN if one of them is.
  void (*greatest)(const float* image, std::span<const RoiSample> down, std::span<const RoiSample> across, float least,
                   std::int64_t channels, float* out) = nullptr;
};
RoiLoops roi_loops();

}  // namespace norn::kernels
