#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace matmul_test_cc {
namespace {

void matrices(Sample& s) {
  const auto &a = s.in(0), &b = s.in(1);
  const std::int64_t m = a.dims[0], k = a.dims[1], n = b.dims[1];
  auto& y = s.out(0, {m, n});
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t p = 0; p < k; ++p) y[i * n + j] += a.values[i * k + p] * b.values[p * n + j];
}

// [3,1,2,4] by [5,4,3].
void batches(Sample& s) {
  auto& y = s.out(0, {3, 5, 2, 3});
  std::vector<std::int64_t> at(4);
  do
    for (std::int64_t k = 0; k < 4; ++k)
      y[position(at, {3, 5, 2, 3})] += s.in(0).at({at[0], 0, at[2], k}) * s.in(1).at({at[1], k, at[3]});
  while (next(at, {3, 5, 2, 3}));
}

const Cases cases(
    "MatMul",
    {
        {"MatMul", "T[2,3] 1 2 3 4 5 6; T[3,2] 1 2 3 4 5 6", "T[2,2] 22 28 49 64"},
        {"MatMul", "float[2,3] 1 2 3 4 5 6; float[3] 1 0 2", "float[2] 7 16"},
        {"MatMul", "float[2] 1 -1; float[2,3] 1 2 3 4 5 6", "float[3] -3 -3 -3"},
        {"MatMul", "float[3] 1 0 2; float[3] 1 0 2", "float[] 5"},
        {"MatMul", "float[2] 1 -1; float[2,2,3] 1 2 3 4 5 6 0 0 1 0 1 0", "float[2,3] -3 -3 -3 0 -1 1"},
        {"MatMul", "float[2,2,3] 1 2 3 4 5 6 0 0 1 0 1 0; float[3] 1 0 2", "float[2,2] 7 16 2 0"},
        {"MatMul-13", "T[3,1,2,4] random; T[5,4,3] random", "T[3,5,2,3]", {.formula = batches, .tolerance = 1e-2}},
        {"MatMul-13", "double[3,1,2,4] random; double[5,4,3] random", "double[3,5,2,3]", {.formula = batches}},
        {"MatMul-13", "float[{1|2|31|64},7] random; float[7,{1|5|16|65}] random", "float", {.formula = matrices}},
        {"MatMul-13", "float[{1|3|70},64] random; float[64,{1|64}] random", "float", {.formula = matrices}},
        {"MatMul", "int64[1,2] max 1; int64[2,1] 2 3", "int64[1,1] 1"},
        {"MatMul", "int32[1,1] 1073741824; int32[1,1] 4", "int32[1,1] 0"},
        {"MatMul", "float[2,0]; float[0,2]", "float[2,2] 0 0 0 0"},
        {"MatMul", "float[0,2,3]; float[3,4] random", "float[0,2,4]"},

        {"MatMul-13", "float[B,S,H]; float[H,64]", "float[B,S,64]"},
        {"MatMul-13", "float[B,S,H]; float", "float"},
        {"MatMul-13", "float[2,3]; float[4,5]", "", {.error = "*"}},
        {"MatMul-13", "float[]; float[4,5]", "", {.error = "*"}},
        {"MatMul-13", "float[2] 1 2; float[3] 1 2 3", "", {.error = "*"}},
        {"MatMul-13", "float[] 1; float[1] 1", "", {.error = "*"}},
    });

}  // namespace
}  // namespace matmul_test_cc
}  // namespace norn::ops::cases
