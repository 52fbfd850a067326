// Convolution over places that are moved: ONNX DeformConv of images, f32.
#pragma once
#include <span>

#include "kernels/cpu/physical.h"
#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: x [N, C, H, W], w [filters, C / group, kernel...], offsets [N, offset_group * taps * 2, out...] (of rows,
// then of columns), bias [filters] or null, mask [N, offset_group * taps, out...] or null; then the output [N, filters,
// out...].
struct DeformConvConfig {
  Shape x, w, out;
  std::int64_t group = 1, offset_group = 1;
  std::vector<std::int64_t> strides, dilations, pads_begin;
  bool has_bias = false, has_mask = false;
  Contents weights;  // of w
};
std::span<const Candidate<DeformConvConfig>> deform_conv_candidates();

}  // namespace norn::kernels
