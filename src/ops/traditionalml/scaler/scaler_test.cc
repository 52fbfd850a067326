#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace scaler_test_cc {
namespace {

const Cases all(
    "Scaler",
    {
        {"ai.onnx.ml.Scaler offset=1 scale=2", "{float|double|int32|int64}[2,2] 1 2 3 5", "float[2,2] 0 2 4 8"},
        {"ai.onnx.ml.Scaler offset=1,-1,0 scale=2,3,0.5", "float[2,3] 1 2 3 4 5 6", "float[2,3] 0 9 1.5 6 18 3"},
        {"ai.onnx.ml.Scaler offset=1,2 scale=2,3", "float[2] 1 3", "float[2] 0 3"},
        {"ai.onnx.ml.Scaler offset=1,2 scale=2,3", "float[1,2,2] 1 2 3 4", "float[1,2,2] 0 0 4 6"},
        {"ai.onnx.ml.Scaler offset=1 scale=2", "float[] 3", "float[] 4"},
        {"ai.onnx.ml.Scaler offset=1 scale=0", "float[3] nan inf 1", "float[3] nan nan 0"},
        {"ai.onnx.ml.Scaler offset=16777216 scale=1", "int64[1] 16777217", "float[1] 1"},
        {"ai.onnx.ml.Scaler offset=1,2 scale=1,2", "float[0,2]", "float[0,2]"},
        {"ai.onnx.ml.Scaler offset=1,2 scale=1", "float[2] 1 2", "", {.error = "offset"}},
        {"ai.onnx.ml.Scaler offset=1,2 scale=1,2",
         "{float[3] 1 2 3|float[2,1] 1 2|float[] 1}",
         "",
         {.error = "features"}},
        {"ai.onnx.ml.Scaler {offset=1|scale=1|offset=[] scale=[]}", "float[1] 1", "", {.error = "*"}},
        {"ai.onnx.ml.Scaler offset=1,2 scale=1,2", "int64[N,M]", "float[N,M]"},
        {"ai.onnx.ml.Scaler offset=1,2 scale=1,2", "float[N,3]", "", {.error = "features"}},
    });

}  // namespace
}  // namespace scaler_test_cc
}  // namespace norn::ops::cases
