#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace one_hot_encoder_test_cc {
namespace {

const Cases all(
    "OneHotEncoder",
    {
        {"ai.onnx.ml.OneHotEncoder cats_int64s=3,1,5", "{int32|int64|float|double}[2,2] 1 5 3 2",
         "float[2,2,3] 0 1 0 0 0 1 1 0 0 0 0 0"},
        {"ai.onnx.ml.OneHotEncoder cats_strings=[a,b]", "string[3] b c a", "float[3,2] 0 1 0 0 1 0"},
        {"ai.onnx.ml.OneHotEncoder cats_int64s=1,0", "float[6] 1.9 -0.5 nan inf -1e30 2",
         "float[6,2] 1 0 0 1 0 0 0 0 0 0 0 0"},
        {"ai.onnx.ml.OneHotEncoder cats_int64s=1,2,1", "int64[] 1", "float[3] 0 0 1"},
        {"ai.onnx.ml.OneHotEncoder cats_int64s=min,max", "int64[2] max min", "float[2,2] 0 1 1 0"},
        {"ai.onnx.ml.OneHotEncoder cats_int64s=1,2 zeros=0", "int64[2] 2 1", "float[2,2] 0 1 1 0"},
        {"ai.onnx.ml.OneHotEncoder cats_int64s=1,2", "int64[0,3]", "float[0,3,2]"},
        {"ai.onnx.ml.OneHotEncoder cats_int64s=1,2 zeros=0",
         "{int64[1] 3|double[1] 3.5|float[1] nan}",
         "",
         {.error = "categories"}},
        {"ai.onnx.ml.OneHotEncoder cats_strings=[a] zeros=0", "string[1] A", "", {.error = "categories"}},
        {"ai.onnx.ml.OneHotEncoder cats_strings=[a]", "int64[1] 1", "", {.error = "categories"}},
        {"ai.onnx.ml.OneHotEncoder cats_int64s=1", "string[1] a", "", {.error = "categories"}},
        {"ai.onnx.ml.OneHotEncoder", "string[1] a", "", {.error = "exactly one"}},
        {"ai.onnx.ml.OneHotEncoder cats_int64s=1 cats_strings=[a]", "string[1] a", "", {.error = "exactly one"}},
        {"ai.onnx.ml.OneHotEncoder cats_int64s=1,2", "double[N,M]", "float[N,M,2]"},
        {"ai.onnx.ml.OneHotEncoder cats_int64s=1,2", "double", "float"},
    });

}  // namespace
}  // namespace one_hot_encoder_test_cc
}  // namespace norn::ops::cases
