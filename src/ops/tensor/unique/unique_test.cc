// Unique: numbers of ONNX's examples and of numpy.unique.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace unique_test_cc {
namespace {

const Cases cases(
    "Unique",
    {
        {"Unique",
         "T[6] 2 1 1 3 4 3",
         "T[4] 1 2 3 4; int64[4] 1 0 3 4; int64[6] 1 0 0 2 3 2; int64[4] 2 1 2 1",
         {.types = "!bool", .late = true}},
        {"Unique sorted=0",
         "T[6] 2 1 1 3 4 3",
         "T[4] 2 1 3 4; int64[4] 0 1 3 4; int64[6] 0 1 1 2 3 2; int64[4] 1 2 2 1",
         {.types = "!bool", .late = true}},
        {"Unique", "bool[4] 1 0 1 1", "bool[2] 0 1; int64[2] 1 0; int64[4] 1 0 1 1; int64[2] 1 3", {.late = true}},
        {"Unique sorted=0", "string[5] b a \"\" b ab", "string[4] b a \"\" ab; int64[4] 0 1 2 4", {.late = true}},
        {"Unique", "string[5] b a \"\" b ab", "string[4] \"\" a ab b; int64[4] 2 1 4 0", {.late = true}},
        {"Unique",
         "complex64[4] 1,2 1,1 0,5 1,2",
         "complex64[3] 0,5 1,1 1,2; int64[3] 2 1 0; int64[4] 2 1 0 2",
         {.late = true}},
        {"Unique",
         "float[6] nan 1 nan -0 0 -inf",
         "float[4] -inf -0 1 nan; int64[4] 5 3 1 0; int64[6] 3 2 3 1 1 0",
         {.tolerance = 0, .late = true}},
        {"Unique",
         "float[5] 2 -0 1 0 2",
         "float[3] -0 1 2; int64[3] 1 2 0; int64[5] 2 0 1 0 2; int64[3] 2 1 2",
         {.tolerance = 0, .late = true}},
        {"Unique",
         "double[4] 2 1e300 2 1.5",
         "double[3] 1.5 2 1e300; int64[3] 3 0 1; int64[4] 1 2 1 0; int64[3] 1 2 1",
         {.tolerance = 0, .late = true}},
        {"Unique", "uint64[3] max 0 9223372036854775808", "uint64[3] 0 9223372036854775808 max", {.late = true}},
        {"Unique", "int64[3] max 0 min", "int64[3] min 0 max", {.late = true}},
        {"Unique axis={0|-2}",
         "float[3,3] 1 0 0 1 0 0 2 3 4",
         "float[2,3] 1 0 0 2 3 4; int64[2] 0 2; int64[3] 0 0 1; int64[2] 2 1",
         {.late = true}},
        {"Unique axis=1",
         "float[2,4,2] 1 1 0 1 2 1 0 1 1 1 0 1 2 1 0 1",
         "float[2,3,2] 0 1 1 1 2 1 0 1 1 1 2 1; int64[3] 1 0 2; int64[4] 1 0 2 0; int64[3] 2 1 1",
         {.late = true}},
        {"Unique axis=1 sorted=0",
         "float[2,4,2] 1 1 0 1 2 1 0 1 1 1 0 1 2 1 0 1",
         "float[2,3,2] 1 1 0 1 2 1 1 1 0 1 2 1; int64[3] 0 1 2; int64[4] 0 1 2 1; int64[3] 1 2 1",
         {.late = true}},
        {"Unique",
         "int32[2,2] 1 3 2 3",
         "int32[3] 1 2 3; int64[3] 0 2 1; int64[4] 0 2 1 2; int64[3] 1 1 2",
         {.late = true}},
        {"Unique sorted={-1|2}", "float[2] 7 6", "", {.error = "has to be 0 or 1"}},
        {"Unique sorted={0|1}", "float[] 7", "float[1] 7; int64[1] 0; int64[1] 0; int64[1] 1", {.late = true}},
        {"Unique sorted={0|1}", "float[2,0]", "float[0]; int64[0]; int64[0]; int64[0]", {.late = true}},
        {"Unique axis=0", "float[0,2]", "float[0,2]; int64[0]; int64[0]; int64[0]", {.late = true}},
        {"Unique axis=1",
         "float[1099511627776,3,0]",
         "float[1099511627776,1,0]; int64[1] 0; int64[3] 0 0 0",
         {.late = true}},
        // Slices without elements are equal.
        {"Unique axis=0", "float[3,0]", "float[1,0]; int64[1] 0; int64[3] 0 0 0; int64[1] 3", {.late = true}},
        {"Unique", "int32[2,2] 1 3 2 3", "int32[3] 1 2 3; -; -; int64[3] 1 1 2", {.late = true}},
        {"Unique axis={2|-3|max|min}", "float[2,2] iota", "", {.error = "axis"}},
        {"Unique axis=0", "float[] 1", "", {.error = "axis"}},
        {"Unique", "float[N,3]", "float[?]; int64[?]; int64[3*N]; int64[?]"},
        {"Unique axis=0", "float[N,3]", "float[?,3]; int64[?]; int64[N]; int64[?]"},
        {"Unique axis=0", "float", "float; int64[?]; int64[?]; int64[?]"},
    });

}  // namespace
}  // namespace unique_test_cc
}  // namespace norn::ops::cases
