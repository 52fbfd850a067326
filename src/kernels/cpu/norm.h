// Normalisations, f32; of rows also double and half types.
#pragma once
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// Rows of n elements: (x - mean) / sqrt(variance + epsilon) * scale + bias; root-mean-square leaves the mean out.
// Operands: x, scale (n elements, or null), bias (n elements, or null), then the output; dense [outer, n].
struct LayerNormConfig {
  std::int64_t outer = 1, n = 1;
  float epsilon = 1e-5f;
  bool has_scale = true, has_bias = false;
  bool root_mean_square = false;
  bool gives_mean = false, gives_inverse = false;  // further outputs of `outer` elements: mean, 1 / deviation
  DataType type = DataType::Float;                 // of x, scale, bias and the output; only Float gives others
  bool rounds_to_float = false;                    // double: x is rounded to float first
};
std::span<const Candidate<LayerNormConfig>> layer_norm_candidates();

// ONNX LRN: x / (bias + alpha / size * sum of squares over `size` neighbouring channels)^beta.
// Operands: x [N, C, ...], then the output.
struct LrnConfig {
  Shape x;
  std::int64_t size = 1;
  float alpha = 0.0001f, beta = 0.75f, bias = 1.0f;
  Layout layout = Layout::Dense;
};
std::span<const Candidate<LrnConfig>> lrn_candidates();

}  // namespace norn::kernels
