// Normalisation of groups of channels of images with channels last, f32.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/kernel.h"

namespace norn::kernels {

// (x - mean) / sqrt(variance + epsilon) * scale + bias for each group of neighbouring channels of each image of x
// [N, C, ...], all pixels together; then element-wise steps. Operands: x, scale and bias [groups], the extras, then the
// output, which may lie where x does.
struct GroupNormConfig {
  Shape x;
  Layout layout = Layout::ChannelsLast;
  std::int64_t groups = 1;
  float epsilon = 1e-5f;
  std::vector<ElementStep> post;
  std::vector<ExtraOperand> extra;
};
std::span<const Candidate<GroupNormConfig>> group_norm_candidates();

// Internal, for a target's instruction set: sums[c] += the sum over rows of x[r * channels + c] - from[c], or of its
// squares.
using SumChannels = void (*)(const float* x, std::int64_t rows, std::int64_t channels, const float* from, double* sums);
struct ChannelSums {
  SumChannels differences, squares;
};
ChannelSums channel_sums();

}  // namespace norn::kernels
