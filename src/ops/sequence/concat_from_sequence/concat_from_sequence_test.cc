// ConcatFromSequence: joined like Concat, or stacked along a new axis.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace concat_from_sequence_test_cc {
namespace {

const Cases all(
    "ConcatFromSequence",
    {
        {"ConcatFromSequence axis={0|-2}",
         "seq(T[1,2] fill 1 | T[2,2] fill 1)",
         "T[3,2] fill 1",
         {.types = "!complex64 !complex128", .late = true}},
        {"ConcatFromSequence axis={0|-2}",
         "seq(float[1,2] 1 2 | float[0,2] | float[2,2] 3 4 5 6)",
         "float[3,2] 1 2 3 4 5 6",
         {.late = true}},
        {"ConcatFromSequence axis={1|-1}",
         "seq(string[2,1] a b | string[2,2] c d e f)",
         "string[2,3] a c d b e f",
         {.late = true}},
        {"ConcatFromSequence axis={0|-2} new_axis=1",
         "seq(float[2] 1 2 | float[2] 3 4)",
         "float[2,2] 1 2 3 4",
         {.late = true}},
        {"ConcatFromSequence axis={1|-1} new_axis=1",
         "seq(float[2] 1 2 | float[2] 3 4)",
         "float[2,2] 1 3 2 4",
         {.late = true}},
        {"ConcatFromSequence axis={0|-1} new_axis=1",
         "seq(int8[] 1 | int8[] 2 | int8[] 3)",
         "int8[3] 1 2 3",
         {.late = true}},
        {"ConcatFromSequence axis=2", "seq(float[2,0,3] | float[2,0,4])", "float[2,0,7]", {.late = true}},
        {"ConcatFromSequence axis=1 new_axis=1", "seq(float[0] | float[0])", "float[0,2]", {.late = true}},
        {"ConcatFromSequence axis=0", "seq()", "", {.error = "empty"}},
        {"ConcatFromSequence axis=0", "seq(float[] 1)", "", {.error = "new_axis"}},
        {"ConcatFromSequence axis={2|-3|min|max}", "seq(float[1,2] 1 2)", "", {.error = "*"}},
        {"ConcatFromSequence axis={3|-4} new_axis=1", "seq(float[1,2] 1 2)", "", {.error = "*"}},
        {"ConcatFromSequence axis=0 new_axis=2", "seq(float[1,2] 1 2)", "", {.error = "new_axis"}},
        {"ConcatFromSequence axis=0", "seq(float[1,2] 1 2 | {float[1,3] 1 2 3|float[2] 1 2})", "", {.error = "join"}},
        {"ConcatFromSequence axis=0 new_axis=1", "seq(float[1] 1 | float[2] 1 2)", "", {.error = "join"}},
        {"ConcatFromSequence", "seq(float[1] 1)", "", {.error = "axis"}},
        {"ConcatFromSequence axis=0", "seq(float[N,3])", "float[?,3]"},
        {"ConcatFromSequence axis=-1 new_axis=1", "seq(float[N,3])", "float[N,3,?]"},
        {"ConcatFromSequence axis=5", "seq(float)", "float"},
        {"ConcatFromSequence axis=2", "seq(float[N,3])", "", {.error = "*"}},
    });

}  // namespace
}  // namespace concat_from_sequence_test_cc
}  // namespace norn::ops::cases
