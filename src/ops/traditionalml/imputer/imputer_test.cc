#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace imputer_test_cc {
namespace {

const Cases all(
    "Imputer",
    {
        {"ai.onnx.ml.Imputer imputed_value_floats=5,6 replaced_value_float=nan", "float[2,2] nan 1 2 nan",
         "float[2,2] 5 1 2 6"},
        {"ai.onnx.ml.Imputer imputed_value_floats=5,6 replaced_value_float=nan", "double[2,2] nan 1 2 nan",
         "double[2,2] 5 1 2 6"},
        {"ai.onnx.ml.Imputer imputed_value_floats=7", "float[1,2,2] 0 -0 1 nan", "float[1,2,2] 7 7 1 nan"},
        {"ai.onnx.ml.Imputer imputed_value_floats=1,2 replaced_value_float=-1", "float[2] -1 -1", "float[2] 1 2"},
        {"ai.onnx.ml.Imputer imputed_value_floats=1 replaced_value_float=0.1", "double[2] 0.1 0.10000000149011612",
         "double[2] 0.1 1"},
        {"ai.onnx.ml.Imputer imputed_value_int64s=9 replaced_value_int64=-1", "int32[3] -1 0 1", "int32[3] 9 0 1"},
        {"ai.onnx.ml.Imputer imputed_value_int64s=1,2,max replaced_value_int64=9007199254740993",
         "int64[1,3] 9007199254740993 9007199254740992 9007199254740993", "int64[1,3] 1 9007199254740992 max"},
        {"ai.onnx.ml.Imputer imputed_value_floats=7",
         "{float[] 0|float[1] 0}",
         "",
         {.formula = [](Sample& s) { s.out(0, s.in(0).dims)[0] = 7; }}},
        {"ai.onnx.ml.Imputer imputed_value_floats=7,8", "float[0,2]", "float[0,2]"},
        {"ai.onnx.ml.Imputer imputed_value_floats=7", "int64[1] 0", "", {.error = "imputed_value_int64s"}},
        {"ai.onnx.ml.Imputer imputed_value_int64s=7", "float[1] 0", "", {.error = "imputed_value_floats"}},
        {"ai.onnx.ml.Imputer imputed_value_int64s=7 imputed_value_floats=7", "float[1] 0", "", {.error = "no other"}},
        {"ai.onnx.ml.Imputer", "float[1] 0", "", {.error = "imputed_value_floats"}},
        {"ai.onnx.ml.Imputer imputed_value_int64s={2147483648|min}", "int32[1] 0", "", {.error = "int32"}},
        {"ai.onnx.ml.Imputer imputed_value_floats=7,8", "{float[3] 0 0 0|float[] 1}", "", {.error = "features"}},
        {"ai.onnx.ml.Imputer imputed_value_floats=7,8", "double[N,M]", "double[N,M]"},
        {"ai.onnx.ml.Imputer imputed_value_floats=7,8", "double[N,3]", "", {.error = "features"}},
    });

}  // namespace
}  // namespace imputer_test_cc
}  // namespace norn::ops::cases
