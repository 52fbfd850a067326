// Channels shifted and scaled by statistics that are given: ONNX BatchNormalization of a trained model.
#pragma once
#include <memory>
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

// The kernel of a chain that multiplies by a number of each channel and adds one; null for other chains. Internal.
struct ChainConfig;
std::unique_ptr<Kernel> make_channel_scale(const ChainConfig& config);

// Internal, for a target's instruction set; `out` may be x. With `shifted` the mean is taken away first, otherwise it
// is not read.
template <class T>
struct ChannelLoops {
  // (x - mean) * factor + bias for `channels` rows of n, each with numbers of its own.
  void (*rows)(const T* x, const T* mean, const T* factor, const T* bias, T* out, std::int64_t n,
               std::int64_t channels);
  // One row, each element with numbers of its own.
  void (*each)(const T* x, const T* mean, const T* factor, const T* bias, T* out, std::int64_t n);
};
template <class T>
ChannelLoops<T> channel_loops(bool shifted);

}  // namespace norn::kernels
