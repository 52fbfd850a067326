// Pooling of planes as they lie, axis by axis, in floating types (half types in f32) and the 8-bit integers.
#pragma once
#include <span>

#include "kernels/cpu/pool.h"
#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: x, then the output, both [N, C, ...] and dense.
struct PlanePoolConfig {
  DataType type = DataType::Float;
  PoolKind kind = PoolKind::Max;
  Shape x, out;
  std::vector<std::int64_t> window, strides, dilations, pads_begin, pads_end;
  bool count_include_pad = false;
};
std::span<const Candidate<PlanePoolConfig>> plane_pool_candidates();

// Internal to the kernels: why no pooling of planes takes the configuration; "" if it is valid.
std::string plane_pool_refusal(const PlanePoolConfig& c);

// Internal to the kernels: loops for a target's instruction set. Outputs are apart from inputs but where it is said.
template <class T>
struct PlaneLoops {
  // out[i] = the fold of from[i * stride + k * dilation] over k < window.
  void (*windows)(const T* from, T* out, std::int64_t n, std::int64_t stride, std::int64_t window,
                  std::int64_t dilation);
  // out[i] = the fold of from[k * step + i] over k < count; out may be from.
  void (*rows)(const T* from, std::int64_t step, std::int64_t count, T* out, std::int64_t n);
  // out[i] /= rows * counts[i]; null for integers.
  void (*divide)(T* out, const T* counts, T rows, std::int64_t n);
  // out[i] *= scales[i]; null for integers.
  void (*scale)(T* out, const T* scales, std::int64_t n);
  // out[i] = scales[i] times the sum of from[k * step + i] over k < count; null for integers and maxima.
  void (*scaled_rows)(const T* from, std::int64_t step, std::int64_t count, const T* scales, T* out, std::int64_t n);
  // For each o < n: out[o * m + i] = the fold of from[o * stride + k * step + i] over k < count, i < m, times
  // factors[o] unless they are null.
  void (*columns)(const T* from, std::int64_t stride, std::int64_t step, std::int64_t count, const T* factors, T* out,
                  std::int64_t n, std::int64_t m);
};
template <class T>
PlaneLoops<T> plane_loops(PoolKind kind);

}  // namespace norn::kernels
