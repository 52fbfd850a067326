// MatMulInteger against sums written out.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace matmul_integer_test_cc {
namespace {

// Of three axes, or two: the zero point of a row of A or a column of B is found by its number.
void product(Sample& s) {
  const auto &a = s.in(0).dims, &b = s.in(1).dims;
  const std::int64_t batch = a.size() == 3 ? a[0] : 1, m = a[a.size() - 2], k = a.back(), n = b.back();
  const auto zero = [&](int input, std::int64_t which, std::int64_t of, std::int64_t at) {
    if (!s.has(input)) return 0.0;
    const auto& z = s.in(input).values;
    const auto size = static_cast<std::int64_t>(z.size());
    return z[size == 1 ? 0 : size == of ? at : which * of + at];
  };
  auto dims = a;
  dims.back() = n;
  auto& y = s.out(0, dims);
  for (std::int64_t w = 0; w < batch; ++w)
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t p = 0; p < k; ++p)
          y[(w * m + i) * n + j] += (s.in(0).values[(w * m + i) * k + p] - zero(2, w, m, i)) *
                                    (s.in(1).values[(w * k + p) * n + j] - zero(3, w, n, j));
}

const Cases cases(
    "MatMulInteger",
    {
        {"MatMulInteger", "T1[3,4] random; T2[4,2] random", "int32", {.formula = product}},
        {"MatMulInteger", "T1[3,4] random; T2[4,2] random; T1[] 3; T2[1] 7", "int32", {.formula = product}},
        {"MatMulInteger", "T1[3,4] random; T2[4,2] random; T1[3] 1 2 3; T2[2] 3 0", "int32", {.formula = product}},
        {"MatMulInteger", "T1[3,4] random; T2[4,2] random; T1[3,1] 1 2 3; T2[1,2] 3 0", "int32", {.formula = product}},
        {"MatMulInteger",
         "T1[2,3,4] random; T2[2,4,2] random; T1[2,3,1] 1 2 3 4 5 6; T2[2,1,2] 3 0 1 2",
         "int32",
         {.formula = product}},
        {"MatMulInteger", "T1[2,3,4] random; T2[2,4,2] random; T1[3] 1 2 3; T2[2] 2 1", "int32", {.formula = product}},
        {"MatMulInteger", "uint8[2,1,2] 1 2 3 4; int8[2,1] 10 -1; -; int8[] 1", "int32[2,1,1] 5 19"},
        {"MatMulInteger", "uint8[2] 1 2; int8[2] 10 -1; uint8[1] 1; int8[1] 1", "int32[] -2"},
        {"MatMulInteger", "uint8[2,2] 1 2 3 4; int8[2] 10 -1; uint8[2] 1 3", "int32[2] -1 -1"},
        {"MatMulInteger", "int8[1,3] -128 -128 -128; int8[3,1] -128 -128 -128; int8[] 127; int8[] 127",
         "int32[1,1] 195075"},
        {"MatMulInteger", "int8[2,0]; uint8[0,3]", "int32[2,3] 0 0 0 0 0 0"},
        {"MatMulInteger", "int8[0,2]; uint8[2,3] iota; int8[0]", "int32[0,3]"},
        {"MatMulInteger", "int8[2,3] iota; uint8[2,3] iota", "", {.error = "*"}},
        {"MatMulInteger", "int8[2,3] iota; uint8[3,2] iota; int8[3] iota", "", {.error = "*"}},
        {"MatMulInteger", "int8[2,3] iota; uint8[3,2] iota; -; uint8[2,1] iota", "", {.error = "*"}},
        {"MatMulInteger", "int8[2,3] iota; uint8[3,2] iota; int8[1,1,1] 0", "", {.error = "*"}},
        {"MatMulInteger", "int8[] 1; uint8[3,2] iota", "", {.error = "scalar"}},
        {"MatMulInteger", "int8[N,K]; uint8[K,3]; int8[N]; uint8[1,3]", "int32[N,3]"},
        {"MatMulInteger", "int8; uint8[K,3]", "int32"},
    });

}  // namespace
}  // namespace matmul_integer_test_cc
}  // namespace norn::ops::cases
