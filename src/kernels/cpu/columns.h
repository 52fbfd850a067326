// Tables of rows by columns: columns picked out, marked values replaced.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "kernels/kernel.h"

namespace norn::kernels {

// Operands: x [rows, columns], places (int64, negative ones from the end), then the output [rows, count]. A place
// outside of a row throws.
struct PickConfig {
  std::int64_t rows = 0, columns = 0, count = 0;
  std::size_t element_bytes = 4;
};
std::span<const Candidate<PickConfig>> pick_candidates();

// What elements equal to the mark, or NaN if that is NaN, are replaced by: one value, or one for each column. Of the
// two lists, the one that the elements' type asks for.
struct Imputed {
  std::vector<float> floats;
  std::vector<std::int64_t> ints;
  float float_mark = 0;
  std::int64_t int_mark = 0;
};
// Operands: x, then the output, which may lie where x does.
struct ImputeConfig {
  std::shared_ptr<const Imputed> by;
  DataType type = DataType::Float;
  std::int64_t rows = 0, columns = 0;
};
std::span<const Candidate<ImputeConfig>> impute_candidates();

}  // namespace norn::kernels
