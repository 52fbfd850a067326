#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace arg_extremum_test_cc {
namespace {

// The index of the largest along the middle of three dimensions.
void largest(Sample& s) {
  const auto& d = s.in(0).dims;
  auto& y = s.out(0, {d[0], d[2]});
  for (std::int64_t i = 0; i < d[0]; ++i)
    for (std::int64_t k = 0; k < d[2]; ++k)
      for (std::int64_t j = 0; j < d[1]; ++j)
        if (s.in(0).at({i, j, k}) > s.in(0).at({i, static_cast<std::int64_t>(y[i * d[2] + k]), k}))
          y[i * d[2] + k] = static_cast<double>(j);
}

const Cases cases(
    "ArgExtremum",
    {
        {"ArgMax axis=1", "T[2,3] 4 9 1 7 2 7", "int64[2,1] 1 0"},
        {"ArgMin-11.. axis=-1", "T[2,3] 4 9 1 7 2 7", "int64[2,1] 2 1"},
        {"ArgMax", "T[2,3] 4 9 1 7 2 7", "int64[1,3] 1 0 1"},
        {"ArgMax-12.. axis=1", "float[1,4] 2 5 5 2", "int64[1,1] 1"},
        {"ArgMax-12.. axis=1 select_last_index=1", "float[1,4] 2 5 5 2", "int64[1,1] 2"},
        {"ArgMin-12.. axis=1 select_last_index=1", "float[1,4] 2 5 5 2", "int64[1,1] 3"},
        // NaN is the extremum.
        {"{ArgMax|ArgMin}-13", "float[5] 1 nan 3 nan 0", "int64[1] 1"},
        {"{ArgMax|ArgMin}-13 select_last_index=1", "float[5] 1 nan 3 nan 0", "int64[1] 3"},
        {"ArgMax-13 axis=1 keepdims=0", "float[2,3,4] random 3", "int64[2,4]", {.formula = largest}},
        {"ArgMax-13 axis=1", "float[0,3]", "int64[0,1]"},
        {"ArgMax-13", "float[] 7", "int64[] 0"},
        {"ArgMax-13 axis=0", "float[0,3]", "", {.error = "*"}},
        {"ArgMax-13 axis=2", "float[1,1] 1", "", {.error = "*"}},
        {"ArgMax-13 axis=2", "float[2,3]", "", {.error = "*"}},
        {"ArgMax-13 axis=-1 keepdims=0", "float[N,3]", "int64[N]"},
        {"ArgMax-13 axis=-1", "float[2,3] 4 9 1 7 2 7", "int64[2,1] 1 0", {.down_to = 1}},
        {"ArgMax-13 axis=1 select_last_index=1", "float[2,3] 4 9 1 7 2 7", "int64[2,1] 1 2", {.down_to = 12}},
    });

}  // namespace
}  // namespace arg_extremum_test_cc
}  // namespace norn::ops::cases
