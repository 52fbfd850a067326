// Elements picked and written by indices: ONNX GatherElements, GatherND, ScatterElements and ScatterND. Everything is
// dense. Every index is checked against its axis before it is used; one outside of [-d, d) throws RuntimeError.
#pragma once
#include <span>

#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: data, indices, then the output, of the indices' dims.
struct GatherElementsConfig {
  Shape data, indices;
  std::int64_t axis = 0;
  std::size_t element_bytes = 4;
  bool wide_indices = true;  // int64; else int32
};
std::span<const Candidate<GatherElementsConfig>> gather_elements_candidates();

enum class ScatterKind : std::uint8_t { Replace, Add, Mul, Max, Min };

// Operands: data, indices, updates of the indices' dims, then the output, which may be the data. Updates of one element
// are taken in order.
struct ScatterElementsConfig {
  Shape data, indices;
  std::int64_t axis = 0;
  DataType type = DataType::Float;
  ScatterKind kind = ScatterKind::Replace;
  bool wide_indices = true;
};
std::span<const Candidate<ScatterElementsConfig>> scatter_elements_candidates();

// Rows of int64 indices, each of which names a block of the data within its batch. Operands: data, indices, then the
// output.
struct GatherNdConfig {
  std::int64_t batches = 1, rows = 1;  // rows of indices in each batch
  Shape axes;                          // what an index moves in
  std::int64_t block = 1;              // elements
  std::size_t element_bytes = 4;
};
std::span<const Candidate<GatherNdConfig>> gather_nd_candidates();

// Operands: data, indices, updates, then the output: the data, or a copy, with the updates' blocks written in order.
struct ScatterNdConfig {
  std::int64_t rows = 1;
  Shape axes;
  std::int64_t block = 1;
  DataType type = DataType::Float;
  ScatterKind kind = ScatterKind::Replace;
  Contents indices;
};
std::span<const Candidate<ScatterNdConfig>> scatter_nd_candidates();
std::string scatter_runs_refuses(const ScatterNdConfig& c);
std::unique_ptr<Kernel> make_scatter_runs(const ScatterNdConfig& c, PackedConstants& packed);

}  // namespace norn::kernels
