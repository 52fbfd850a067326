#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace gemm_test_cc {
namespace {

void gemm(Sample& s) {
  const bool ta = s.number("transA") != 0, tb = s.number("transB") != 0;
  const auto &a = s.in(0), &b = s.in(1);
  const std::int64_t m = a.dims[ta], k = a.dims[!ta], n = b.dims[!tb];
  auto& y = s.out(0, {m, n});
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0, added = 0;
      for (std::int64_t p = 0; p < k; ++p)
        sum += (ta ? a.at({p, i}) : a.at({i, p})) * (tb ? b.at({j, p}) : b.at({p, j}));
      if (s.has(2)) {
        const auto& c = s.in(2);
        const std::int64_t rows = c.dims.size() == 2 ? c.dims[0] : 1, columns = count(c.dims) / rows;
        added = c.values[(rows == 1 ? 0 : i) * columns + (columns == 1 ? 0 : j)];
      }
      y[i * n + j] = s.number("alpha", 1) * sum + s.number("beta", 1) * added;
    }
}

const Cases cases(
    "Gemm",
    {
        {"Gemm-7..", "T[2,3] 1 2 3 4 5 6; T[3,2] 1 2 3 4 5 6", "T[2,2] 22 28 49 64"},
        {"Gemm-{7|9|11|13} alpha=2 beta=3", "T[2,3] 1 2 3 4 5 6; T[3,2] 1 2 3 4 5 6; T[2] 1 2", "T[2,2] 47 62 101 134"},
        {"Gemm-13 transA=1 transB=1 alpha=0.5 beta=-2",
         "double[4,3] random; double[5,4] random; {double[]|double[1]|double[5]|double[3,1]|double[1,5]|double[3,5]} "
         "random",
         "double[3,5]",
         {.formula = gemm}},
        {"Gemm-13 transA={0|1} transB={0|1}",
         "float[8,8] random; float[8,8] random; float[8] random",
         "float[8,8]",
         {.formula = gemm}},
        {"Gemm-13 transB={0|1}",
         "float[{1|33},40] random; float[40,40] random; {-|float[40] random}",
         "float",
         {.formula = gemm}},
        {"Gemm-13", "int32[1,1] 1073741824; int32[1,1] 2", "int32[1,1] min"},
        {"Gemm-13 alpha=0.5", "int32[1,1] -3; int32[1,1] 1", "int32[1,1] -1"},
        {"Gemm-13 beta=0", "float[1,1] 1; float[1,1] 1; float[1] nan", "float[1,1] 1"},
        {"Gemm-13", "float[1,1] 1; float[1,1] 1; float[1] nan", "float[1,1] nan"},
        {"Gemm-13", "float[2,0]; float[0,2]; float[2] 1 2", "float[2,2] 1 2 1 2"},
        {"Gemm-13", "float[0,3]; float[3,2] random", "float[0,2]"},

        {"Gemm-13 transB=1", "float[N,K]; float[10,K]", "float[N,10]"},
        {"Gemm-13", "float[2,3]; float[4,5]", "", {.error = "*"}},
        {"Gemm-13", "float[2,3,1]; float[4,5]", "", {.error = "*"}},
        {"Gemm-13", "float[2,3]; float[3,5]; float[4]", "", {.error = "*"}},
        {"Gemm-6", "float[2,3]; float[3,5]; float[5]", "", {.error = "*"}},
        {"Gemm-6 broadcast=1", "float[2,3]; float[3,5]; float[5]", "float[2,5]"},
        {"Gemm-13", "float[1,2] 1 2; float[1,2] 1 2", "", {.error = "*"}},
        {"Gemm-13 transB=1", "float[1,2] 1 2; float[1,2] 1 2; float[2,1] 1 2", "", {.error = "*"}},

        {"Gemm-{1|6} broadcast=1", "float[2,1] 1 2; float[1,2] 3 4; float[2] 10 20", "float[2,2] 13 24 16 28"},
        {"Gemm-13", "float[2,1] 1 2; float[1,2] 3 4; float[2] 10 20", "float[2,2] 13 24 16 28", {.down_to = 1}},
        {"Gemm-13", "float[2,1] 1 2; float[1,2] 3 4", "float[2,2] 3 4 6 8", {.down_to = 1}},
        {"Gemm-13", "int32[1,1] 1; int32[1,1] 1", "int32[1,1] 1", {.down_to = 9}},
    });

}  // namespace
}  // namespace gemm_test_cc
}  // namespace norn::ops::cases
