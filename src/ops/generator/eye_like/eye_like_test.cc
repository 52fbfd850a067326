// EyeLike against T[i, j] = (j - i == k).
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace eye_like_test_cc {
namespace {

void eye(Sample& s) {
  const auto& d = s.in(0).dims;
  auto& y = s.out(0, d);
  for (std::int64_t i = 0; i < d[0]; ++i)
    for (std::int64_t j = 0; j < d[1]; ++j)
      y[i * d[1] + j] = static_cast<double>(j) - static_cast<double>(i) == s.number("k");
}

const Cases cases("EyeLike",
                  {
                      {"EyeLike k={-5|-4|-1|0|1|2|3|7}", "{T1[4,3] odd|T1[3,4] odd|T1[1,1] odd}", "", {.formula = eye}},
                      {"EyeLike dtype=float k=1", "{T1[3,4] odd|T1[0,4]|T1[4,0]}", "float", {.formula = eye}},
                      {"EyeLike k={9223372036854775807|-9223372036854775808|4611686018427387904}", "int32[2,3] iota",
                       "int32[2,3] 0 0 0 0 0 0"},
                      {"EyeLike-22 dtype=bfloat16", "bool[2,2] 1 1 1 1", "bfloat16[2,2] 1 0 0 1"},
                      {"EyeLike dtype=bool k=-1", "float[2,2] iota", "bool[2,2] 0 0 1 0"},
                      {"EyeLike", "{float[3] iota|float[] 1|float[2,2,2] iota}", "", {.error = "*"}},
                      {"EyeLike dtype={string|complex64|0|99|-1|int4}", "float[2,2] iota", "", {.error = "dtype"}},
                      {"EyeLike-9 dtype=bfloat16", "float[2,2]", "", {.error = "dtype"}},

                      {"EyeLike", "float[N,3]", "float[N,3]"},
                      {"EyeLike dtype=int64", "?", "int64"},
                      {"EyeLike", "int8", "int8"},
                      {"EyeLike", "?", "?"},
                      {"EyeLike", "float[N]", "", {.error = "rank"}},
                      {"EyeLike-22 dtype=float", "float[2,2]", "", {.to = 9, .becomes = "EyeLike-9 dtype=1"}},
                  });

}  // namespace
}  // namespace eye_like_test_cc
}  // namespace norn::ops::cases
