// Channels shifted and scaled by statistics that are given: ONNX BatchNormalization of a trained model.
#pragma once
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: x [batch, channels, inner], scale, bias, mean and variance of the channels, then the output: all of one
// type, float or double.
struct ChannelNormConfig {
  DataType type = DataType::Float;
  std::int64_t batch = 1, channels = 1, inner = 1;
  double epsilon = 0;
};
std::span<const Candidate<ChannelNormConfig>> channel_norm_candidates();

// Internal, for a target's instruction set; `out` overlaps nothing.
template <class T>
struct ChannelLoops {
  // out[i] = (x[i] - mean) * factor + bias
  void (*channel)(const T* x, T mean, T factor, T bias, T* out, std::int64_t n);
  // out[i] = (x[i] - mean[i]) * factor[i] + bias[i]
  void (*row)(const T* x, const T* mean, const T* factor, const T* bias, T* out, std::int64_t n);
};
template <class T>
ChannelLoops<T> channel_loops();

}  // namespace norn::kernels
