// CastLike gives what Cast does; its own is where the type comes from.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace cast_like_test_cc {
namespace {

const Cases cases(
    "CastLike",
    {
        {"CastLike", "T1[3] 0 1 1; T2[0]", "T2[3] 0 1 1", {.types = "float bfloat16 int64 uint8 bool"}},
        {"CastLike", "float[4] 1.7 -1.7 nan 3e9; int32[1] 0", "int32[4] 1 -1 0 max"},
        {"CastLike", "int64[3] 300 -1 255; uint8[2,2] 0 0 0 0", "uint8[3] 44 255 255"},
        {"CastLike", "float[3] 1.5 nan -0; string[] a", "string[3] 1.5 nan -0.0"},
        {"CastLike", "string[2] 3.25 -inf; double[] 1", "double[2] 3.25 -inf"},
        {"CastLike-19..", "float[3] 1000 -1000 nan; float8e4m3fn[] 1", "float8e4m3fn[3] 448 -448 nan"},
        {"CastLike-19.. saturate=0", "float[3] 1000 -1000 1; float8e4m3fn[] 1", "float8e4m3fn[3] nan nan 1"},
        {"CastLike-19.. saturate=0", "float[2] 1e9 -1e9; float8e5m2[] 1", "float8e5m2[2] inf -inf"},
        {"CastLike-24..", "float[2] 1.25 3; float8e8m0[] 1", "float8e8m0[2] 2 4"},
        {"CastLike-24.. round_mode=down", "float[2] 1.25 3; float8e8m0[] 1", "float8e8m0[2] 1 2"},
        {"CastLike-24.. round_mode=nearest", "float[2] 1.25 3; float8e8m0[] 1", "float8e8m0[2] 1 4"},
        {"CastLike-24.. round_mode=sideways", "float[2] 1 2; float8e8m0[] 1", "", {.error = "round_mode"}},
        {"CastLike-21..", "int8[3] 7 -9 -1; int4[0]", "int4[3] 7 7 -1"},
        {"CastLike-25..", "int8[3] 1 2 3; int2[0]", "int2[3] 1 -2 -1"},
        {"CastLike", "float[2,0]; double[1] 0", "double[2,0]"},
        {"CastLike", "float[] 2.5; float16[1,1] 0", "float16[] 2.5"},
        {"CastLike", "string[1] word; float[1] 0", "", {.error = "*"}},

        {"CastLike", "float[N,2]; float16", "float16[N,2]"},
        {"CastLike", "float; int32[2]", "int32"},
        {"CastLike", "float[N]; ?", "?"},
        {"CastLike", "int64[2] N 5; int32[7]", "int32[2] N 5"},
        {"CastLike", "int64[2] N 5; float", "float[2] unknown"},
        {"CastLike-25", "complex64[2]; float[1]", "", {.error = "takes only"}},

        {"CastLike-25 saturate=0 round_mode=down",
         "float[2]; float[1]",
         "",
         {.to = 23, .becomes = "CastLike-23 saturate=0"}},
        {"CastLike-25 saturate=0 round_mode=down", "float[2]; float[1]", "", {.to = 15, .becomes = "CastLike-15"}},
        {"CastLike-15", "float[2]; float[1]", "", {.to = 25, .becomes = "CastLike-25"}},
        {"CastLike-25", "float[2]; int4[1]", "", {.error = "*", .to = 20}},
    });

}  // namespace
}  // namespace cast_like_test_cc
}  // namespace norn::ops::cases
