// Convolution, f32, any number of spatial dimensions, with what follows it (bias, element-wise steps) in the same pass.
#pragma once
#include <optional>
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: x, w, bias (null without one), extras..., then the output.
struct ConvConfig {
  Shape x;    // N, C, spatial...; logical dims whatever the layout
  Shape w;    // M, C/group, kernel...; dense
  Shape out;  // N, M, spatial...
  std::int64_t group = 1;
  Shape strides, dilations;    // one for each spatial dimension; a dilation of 1 leaves no gaps
  Shape pads_begin, pads_end;  // zeros around x; negative ones are refused
  Layout x_layout = Layout::Dense, out_layout = Layout::Dense;
  Contents weights;            // of w
  const void* bias = nullptr;  // its contents if they are constants
  bool has_bias = false;
  std::vector<ElementStep> post;    // after the bias
  std::vector<ExtraOperand> extra;  // for post; a full-size extra has the layout of the output
  // The extra that lies where the output does (the same address): it must have the output's dims and layout, and be
  // read by exactly one Add step. -1: no extra aliases the output.
  int in_place_extra = -1;

  auto fields() const noexcept {
    return std::tie(x, w, out, group, strides, dilations, pads_begin, pads_end, x_layout, out_layout, weights, bias,
                    has_bias, post, extra, in_place_extra);
  }
};

std::span<const Candidate<ConvConfig>> conv_candidates();
// Those that take channels first, and give them.
std::span<const Candidate<ConvConfig>> channels_first_conv_candidates();
struct ConvSizes {
  const Shape &x, &w, &out, &strides, &dilations;
  std::int64_t group;
  bool has_constant_weights;
  bool may_round = false;  // the caller allows factors in bfloat16
};
// What such a convolution takes longer than with channels last, where tensors would be reordered for that: in elements
// that are reordered in the same time. Nothing where reorders are always quicker, as for products of bfloat16, which
// only kernels with channels last compute.
std::optional<std::int64_t> cost_of_channels_first(const ConvSizes& sizes);
// Those that round x and constant weights to bfloat16, where the caller allows it. Sums are f32.
std::span<const Candidate<ConvConfig>> conv_bf16_candidates();

}  // namespace norn::kernels
