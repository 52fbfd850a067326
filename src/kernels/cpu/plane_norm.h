// Normalisation of channels apart from each other, f32.
#pragma once
#include <cstdint>
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// (x - mean) / sqrt(variance + epsilon) * scale + bias for each plane of x [batch, channels, plane]; operands: x, scale
// and bias [channels], then the output.
struct PlaneNormConfig {
  std::int64_t batch = 1, channels = 1, plane = 1;
  float epsilon = 1e-5f;
};
std::span<const Candidate<PlaneNormConfig>> plane_norm_candidates();

// One plane of n elements.
using NormalizePlane = void (*)(const float* x, float* out, std::int64_t n, float epsilon, float scale, float bias);
NormalizePlane normalize_plane();

}  // namespace norn::kernels
