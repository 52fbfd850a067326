// Pooling of planes as they lie, row by row, in float, double and the 8-bit integers.
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

// Internal to the kernels: loops for a target's instruction set.
template <class T>
struct PlaneLoops {
  // to[i] = from[i] (`first`), or folded with it.
  void (*rows)(const T* from, T* to, std::int64_t n, bool first);
  // out[i] = the fold of from[i * stride + k * dilation] over k < window.
  void (*windows)(const T* from, T* out, std::int64_t n, std::int64_t stride, std::int64_t window,
                  std::int64_t dilation);
};
template <class T>
PlaneLoops<T> plane_loops(PoolKind kind);

}  // namespace norn::kernels
