// Moving elements without looking at them, by element size (1, 2, 4, 8 or 16 bytes); everything is dense.
#pragma once
#include <array>
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: x, then the output: out[i_perm[0], i_perm[1], ...] = x[i_0, i_1, ...] as ONNX Transpose.
struct TransposeConfig {
  Shape x;
  std::vector<std::int64_t> perm;  // output dimension k is dimension perm[k] of x
  std::size_t element_bytes = 4;
};
std::span<const Candidate<TransposeConfig>> transpose_candidates();

// Operands: the inputs in order, then the output.
struct ConcatConfig {
  std::vector<Shape> inputs;
  std::int64_t axis = 0;  // in [0, rank)
  std::size_t element_bytes = 4;
  Layout layout = Layout::Dense;  // of the output, and of inputs without strides
  // Of each input, in elements, none negative: where it lies; empty: as the layout says. No list: all are empty.
  std::vector<std::vector<std::int64_t>> strides;
};
std::span<const Candidate<ConcatConfig>> concat_candidates();

// Slice, one output of Split, Pad with a constant, Expand: out[out_offset + i.out_strides] = x[x_offset + i.x_strides]
// for i in dims. Offsets and strides count elements; x_strides may be zero or negative.
// Operands: x, then the output.
struct StridedCopyConfig {
  Shape dims;
  std::vector<std::int64_t> x_strides, out_strides;
  std::int64_t x_offset = 0, out_offset = 0;
  std::size_t element_bytes = 4;
  // The output is filled with this element first (Pad); out_elements counts all of it.
  bool fill = false;
  alignas(16) std::array<std::byte, 16> fill_element{};
  std::int64_t out_elements = 0;
};
std::span<const Candidate<StridedCopyConfig>> strided_copy_candidates();

// ONNX Gather. Operands: data, indices, then the output. An index outside [-d, d) throws RuntimeError.
struct GatherConfig {
  Shape data, indices;
  std::int64_t axis = 0;  // in [0, rank of data)
  std::size_t element_bytes = 4;
  bool wide_indices = true;  // int64; else int32
};
std::span<const Candidate<GatherConfig>> gather_candidates();

}  // namespace norn::kernels
