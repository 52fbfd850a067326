#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace category_mapper_test_cc {
namespace {

const Cases all(
    "CategoryMapper",
    {
        {"ai.onnx.ml.CategoryMapper cats_int64s=5,7,-1 cats_strings=[a,b,c]", "string[2,2] b c d a",
         "int64[2,2] 7 -1 -1 5"},
        {"ai.onnx.ml.CategoryMapper cats_int64s=5,7 cats_strings=[a,b]", "int64[3] 7 0 5", "string[3] b _Unused a"},
        {"ai.onnx.ml.CategoryMapper cats_int64s=5,7 cats_strings=[a,b] default_int64=9", "string[] x", "int64[] 9"},
        {"ai.onnx.ml.CategoryMapper cats_int64s=5,7 cats_strings=[a,b] default_string=none", "int64[1] min",
         "string[1] none"},
        {"ai.onnx.ml.CategoryMapper cats_int64s=1,2,1 cats_strings=[a,b,c]", "int64[3] 1 2 3", "string[3] c b _Unused"},
        {"ai.onnx.ml.CategoryMapper cats_int64s=[] cats_strings=[]", "string[1] x", "int64[1] -1"},
        {"ai.onnx.ml.CategoryMapper cats_int64s=5 cats_strings=[a]", "string[0,2]", "int64[0,2]"},
        {"ai.onnx.ml.CategoryMapper cats_int64s=5 cats_strings=[a,b]", "string[1] x", "", {.error = "cats_strings"}},
        {"ai.onnx.ml.CategoryMapper cats_int64s=5", "string[1] x", "", {.error = "cats_strings"}},
        {"ai.onnx.ml.CategoryMapper cats_int64s=5 cats_strings=[a]", "float[1]", "", {.error = "*"}},
        {"ai.onnx.ml.CategoryMapper cats_int64s=5 cats_strings=[a]", "string[N]", "int64[N]"},
        {"ai.onnx.ml.CategoryMapper cats_int64s=5 cats_strings=[a]", "int64", "string"},
    });

}  // namespace
}  // namespace category_mapper_test_cc
}  // namespace norn::ops::cases
