// The vectorised inner loops of element-wise steps, chosen once for the machine. Internal to the kernels.
#pragma once
#include <cstdint>

#include "kernels/kernel.h"

namespace norn::kernels {

// out[i] = op(x[i]) or op(x[i], y[i]) for i < n; out may be x or y. A binary step with scalar y reads y[0] only.
using StepF32 = void (*)(const float* x, const float* y, float* out, std::int64_t n, float a, float b);
// What y is, and whether the operands are swapped: op(y, x).
enum class Right { Vector, Value, ValueSwapped, VectorSwapped };
inline constexpr int kRights = 4;
struct StepTableF32 {
  StepF32 step[kElementOps][kRights];  // unary ones are alike whatever y is
  StepF32 scale_and_shift;             // x[i] * a + b, each rounded; y is not read
  // x[i] * scale[i] + shift[i], each rounded.
  void (*scale_and_shift_each)(const float* x, const float* scale, const float* shift, float* out, std::int64_t n);
  StepF32 operator()(ElementOp op, Right right = Right::Vector) const {
    return step[static_cast<int>(op)][static_cast<int>(right)];
  }
};
const StepTableF32& step_table_f32();

// Row-wise softmax and normalisation, on contiguous rows of n.
struct RowTable {
  void (*softmax)(const float* x, float* out, std::int64_t rows, std::int64_t n, bool log);
  // Softmax over `n` rows of `inner` columns, one softmax for each of `columns` columns from the first; `work` has
  // 4 * columns floats.
  void (*softmax_columns)(const float* x, float* out, std::int64_t n, std::int64_t inner, std::int64_t columns,
                          bool log, float* work);
  // The same for all of up to 16 columns.
  void (*softmax_few_columns)(const float* x, float* out, std::int64_t n, std::int64_t inner, bool log);
  void (*layer_norm)(const float* x, const float* scale, const float* bias, float* out, std::int64_t n, float epsilon,
                     bool root_mean_square);
  // to[i * to_step + c] += from[i * from_step + c] for i < n, c < count.
  void (*add_rows)(float* to, std::int64_t to_step, const float* from, std::int64_t from_step, std::int64_t n,
                   std::int64_t count);
  // to[i * to_step + c] = from[i * from_step + c], plus bias[c] unless that is null.
  void (*put_rows)(float* to, std::int64_t to_step, const float* from, std::int64_t from_step, std::int64_t n,
                   std::int64_t count, const float* bias);
  // out[c] = the maximum, or `scale` times the sum, of x[c] over a grid of size[0] x size[1] x size[2] offsets.
  void (*pool)(const float* x, const std::int64_t* size, const std::int64_t* stride, std::int64_t channels, bool max,
               float scale, float* out);
  // The sum of exp(x[i] - most) over n elements, of which `most` is the greatest and finite.
  float (*exponential_sum)(const float* x, std::int64_t n, float most);
  // sums[i] = the sum of exp(x[r * stride + i] - most[i]) over r < rows, of n columns.
  void (*exponential_columns)(const float* x, std::int64_t stride, std::int64_t rows, const float* most, float* sums,
                              std::int64_t n);
};
const RowTable& row_table();

// Reductions by kind (ReduceKind's order: Sum Mean Max Min Prod SumSquare L1 L2, mean and roots finished by the
// caller).
struct ReduceTable {
  float (*row)(int kind, const float* x, std::int64_t n);  // of a contiguous row
  void (*accumulate)(int kind, const float* x, float* into, std::int64_t n,
                     bool first);  // into[i] = kind(into[i], x[i])
  std::int64_t row_part;           // of longer rows, sums go on in double behind so many elements
  // out[r] = the sum of the r-th of `count` short rows without gaps; null where `row` takes no longer.
  void (*sum_rows)(const float* x, std::int64_t n, float* out, std::int64_t count);
};
const ReduceTable& reduce_table();

}  // namespace norn::kernels
