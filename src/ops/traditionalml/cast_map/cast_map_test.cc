// CastMap: values in order of their keys, or at the places that the keys say.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace cast_map_test_cc {
namespace {

const Cases cases(
    "CastMap",
    {
        {"ai.onnx.ml.CastMap cast_to=TO_FLOAT map_form=DENSE",
         "map(int64[3] 7 -2 3 | float[3] 1.5 -2.75 4)",
         "float[1,3] -2.75 4 1.5",
         {.late = true}},
        {"ai.onnx.ml.CastMap cast_to=TO_INT64 map_form=DENSE",
         "map(int64[3] 7 -2 3 | float[3] 1.5 -2.75 4)",
         "int64[1,3] -2 4 1",
         {.late = true}},
        {"ai.onnx.ml.CastMap cast_to=TO_STRING map_form=DENSE",
         "map(int64[3] 7 -2 3 | float[3] 1.5 -2.75 4)",
         "string[1,3] -2.75 4.0 1.5",
         {.late = true}},
        {"ai.onnx.ml.CastMap cast_to=TO_FLOAT map_form=SPARSE max_map=4", "map(int64[2] 3 0 | string[2] 1.5 7)",
         "float[1,4] 7 0 0 1.5"},
        {"ai.onnx.ml.CastMap cast_to=TO_STRING map_form=SPARSE max_map=4", "map(int64[2] 3 0 | string[2] 1.5 7)",
         "string[1,4] 7 0 0 1.5"},
        {"ai.onnx.ml.CastMap cast_to=TO_FLOAT map_form=SPARSE max_map=4", "map(int64[0] | float[0])",
         "float[1,4] 0 0 0 0"},
        {"ai.onnx.ml.CastMap cast_to=TO_FLOAT map_form=DENSE",
         "map(int64[0] | float[0])",
         "float[1,0]",
         {.late = true}},
        {"ai.onnx.ml.CastMap cast_to=TO_FLOAT map_form=SPARSE max_map=2",
         "map(int64[1] {2|-1} | float[1] 1)",
         "",
         {.error = "*"}},
        {"ai.onnx.ml.CastMap cast_to=TO_FLOAT map_form=SPARSE max_map=0",
         "map(int64[0] | float[0])",
         "",
         {.error = "*"}},
        {"ai.onnx.ml.CastMap cast_to=TO_FLOAT map_form=WIDE", "map(int64[0] | float[0])", "", {.error = "*"}},
        {"ai.onnx.ml.CastMap cast_to=FLOAT map_form=DENSE", "map(int64[0] | float[0])", "", {.error = "*"}},
        {"ai.onnx.ml.CastMap cast_to=TO_FLOAT map_form=DENSE", "map(int64[1] 0 | string[1] x)", "", {.error = "*"}},
        {"ai.onnx.ml.CastMap cast_to=TO_FLOAT map_form=DENSE", "float[] 1", "", {.error = "*"}},
        {"ai.onnx.ml.CastMap cast_to=TO_STRING map_form=SPARSE max_map=4", "map(int64,float[])", "string[1,4]"},
        {"ai.onnx.ml.CastMap cast_to=TO_INT64 map_form=DENSE", "map(int64,float[])", "int64[1,?]"},
    });

}  // namespace
}  // namespace cast_map_test_cc
}  // namespace norn::ops::cases
