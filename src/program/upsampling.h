// Transposed convolutions as convolutions. Internal to the passes.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "program/program.h"

namespace norn::program {

// Elements of the output of a transposed convolution fall into blocks of the strides' size, one for each element of the
// input and `more` behind them. A convolution with stride 1 gives all places of a block as channels: place by place,
// and in each what the transposed convolution has as channels.
struct Upsampling {
  std::vector<std::int64_t> blocks, more;  // by spatial dimension
  std::vector<std::int64_t> window, pads_begin, pads_end;
  // For each place of a block and each position of the window: the position of the transposed kernel, or none.
  static constexpr std::int64_t kNoTap = -1;
  std::vector<std::int64_t> taps;

  std::int64_t places() const;
  std::int64_t positions() const;  // of the window
};

// Of a ConvTranspose whose weights have the shape `w`; nothing where the output is no whole number of blocks, or where
// the convolution would take far more products or give too few channels.
std::optional<Upsampling> upsampling_of(const Node& node, const Shape& w);

// Weights of 8 bits for that convolution: [places x filters, channels, window] of [channels, filters, kernel]. Where a
// place has no tap, they are the filter's zero point (of `zeros`, one number, one for each filter, or undefined: 0).
norn::Tensor upsampling_weights(const Upsampling& up, const norn::Tensor& w, const norn::Tensor& zeros);
// A number for each filter, or one for all, for each filter of that convolution.
norn::Tensor for_each_place(const Upsampling& up, const norn::Tensor& by_filter);

}  // namespace norn::program
