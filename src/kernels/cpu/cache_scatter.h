// ONNX TensorScatter: positions written into a cache, from an index of its own on for each batch entry.
#pragma once
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: the cache, the update, the indices (null: 0), then the output: the cache, or a copy, with the update in it.
// The cache is [batch, outer, positions, inner], the update has `length` positions.
struct CacheScatterConfig {
  std::int64_t batch = 1, outer = 1, positions = 1, inner = 1, length = 1;
  std::size_t element_bytes = 4;
  bool circular = false;  // positions are counted around the end; else one that leaves the cache throws RuntimeError
};
std::span<const Candidate<CacheScatterConfig>> cache_scatter_candidates();

}  // namespace norn::kernels
