// Averages and maxima of samples in regions of planes: ONNX RoiAlign, f32.
#pragma once
#include <span>

#include "base/region_samples.h"
#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: x [images, channels, rows, columns], regions [regions, 4] (first column, first row, last column, last row),
// the image of each (int64), then the output [regions, channels, height, width].
struct RoiAlignConfig {
  std::int64_t images = 1, channels = 1, rows = 1, columns = 1, regions = 1, height = 1, width = 1;
  base::RegionRule rule;
  bool maximum = false;  // of elements times their weights, not of samples
};
std::span<const Candidate<RoiAlignConfig>> roi_align_candidates();

// Internal to the kernels.
struct RegionTap {
  std::int64_t index;
  float weight;
};
// For a target's instruction set; n elements of the rows plane + tap.index * row, at least one tap.
struct RegionLoops {
  // out[i] = the sum over taps of weight times element.
  void (*sums)(const float* plane, std::int64_t row, const RegionTap* taps, std::int64_t count, std::int64_t n,
               float* out);
  // The largest of them. False if an element is not finite: then out is not to be used.
  bool (*largest)(const float* plane, std::int64_t row, const RegionTap* taps, std::int64_t count, std::int64_t n,
                  float* out);
};
const RegionLoops& region_loops();

}  // namespace norn::kernels
