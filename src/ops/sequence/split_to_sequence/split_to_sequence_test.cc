// SplitToSequence: parts whose elements are written out, and their types.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace split_to_sequence_test_cc {
namespace {

const Cases all(
    "SplitToSequence",
    {
        {"SplitToSequence axis={0|-1}", "string[3] a b c", "seq(string[1] a | string[1] b | string[1] c)"},
        {"SplitToSequence keepdims=0", "float[2,2] 1 2 3 4", "seq(float[2] 1 2 | float[2] 3 4)"},
        {"SplitToSequence axis={1|-1} keepdims=0", "float[2,2] 1 2 3 4", "seq(float[2] 1 3 | float[2] 2 4)"},
        {"SplitToSequence axis=1 keepdims={0|1}", "double[2,3] 1 2 3 4 5 6; I[] 2",
         "seq(double[2,2] 1 2 4 5 | double[2,1] 3 6)"},
        {"SplitToSequence axis=1", "int8[2,3] 1 2 3 4 5 6; I[2] 1 2", "seq(int8[2,1] 1 4 | int8[2,2] 2 3 5 6)"},
        {"SplitToSequence axis=1", "int8[2,3] 1 2 3 4 5 6; I[3] 0 3 0",
         "seq(int8[2,0] | int8[2,3] 1 2 3 4 5 6 | int8[2,0])"},
        {"SplitToSequence",
         "T[3,1] fill 1; int64[2] 1 2",
         "seq(T[1,1] fill 1 | T[2,1] fill 1)",
         {.types = "!complex64 !complex128"}},
        {"SplitToSequence", "T[2] fill 1; int32[] {7|max}", "seq(T[2] fill 1)", {.types = "!complex64 !complex128"}},
        {"SplitToSequence", "float[0,2]; {-|int64[] 3|int64[0]}", "seq()"},
        {"SplitToSequence axis=1", "float[0,2]; {-|int64[] 1}", "seq(float[0,1] | float[0,1])"},
        {"SplitToSequence", "float[3] 1 2 3; int64[] {0|-1|min}", "", {.error = "split"}},
        {"SplitToSequence", "float[3] 1 2 3; int64[2] {1 1|2 2|4 -1|max max|min max}", "", {.error = "split"}},
        {"SplitToSequence", "float[3] 1 2 3; int64[1,1] 3", "", {.error = "*"}},
        {"SplitToSequence axis={1|-2|min|max}", "float[3] 1 2 3", "", {.error = "*"}},
        {"SplitToSequence", "float[] 3", "", {.error = "*"}},
        {"SplitToSequence", "float[4611686018427387904,0]", "", {.error = "too"}},
        {"SplitToSequence", "float[1099511627776,0]; int64[] 2", "", {.error = "too"}},
        {"SplitToSequence axis=1", "float[N,M]", "seq(float[N,1])"},
        {"SplitToSequence axis=-1 keepdims=0", "float[N,M]", "seq(float[N])"},
        {"SplitToSequence axis=1", "float[N,6]; int64[] 3", "seq(float[N,3])"},
        {"SplitToSequence axis=1", "float[N,7]; int64[] 3", "seq(float[N,?0])"},
        {"SplitToSequence", "float[N,7]; int64[2] 3 3", "seq(float[3,7])"},
        {"SplitToSequence", "float[N,7]; int64", "seq(float[?0,7])"},
        {"SplitToSequence", "float; int64", "seq(float)"},
        {"SplitToSequence", "float[5]; int64[2] 3 3", "", {.error = "*"}},
    });

}  // namespace
}  // namespace split_to_sequence_test_cc
}  // namespace norn::ops::cases
