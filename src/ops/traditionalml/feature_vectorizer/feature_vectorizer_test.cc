#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace feature_vectorizer_test_cc {
namespace {

const Cases all("FeatureVectorizer",
                {
                    {"ai.onnx.ml.FeatureVectorizer inputdimensions=2,3", "float[2] 1 2; float[3] 3 4 5",
                     "float[1,5] 1 2 3 4 5"},
                    {"{ai.onnx.ml.FeatureVectorizer inputdimensions=1,2|ai.onnx.ml.FeatureVectorizer}",
                     "int64[2,1] 1 2; int64[2,2] 3 4 5 6", "float[2,3] 1 3 4 2 5 6"},
                    {"ai.onnx.ml.FeatureVectorizer inputdimensions=2,3", "float[2,3] 1 2 3 4 5 6; float[2,2] 3 4 5 6",
                     "float[2,5] 1 2 3 4 0 4 5 5 6 0"},
                    {"ai.onnx.ml.FeatureVectorizer", "{double|int32|int64|float}[1,2] 1 2", "float[1,2] 1 2"},
                    {"ai.onnx.ml.FeatureVectorizer", "float[0,2]; float[0,1]", "float[0,3]"},
                    {"ai.onnx.ml.FeatureVectorizer inputdimensions=0", "float[2,2] 1 2 3 4", "float[2,0]"},
                    {"ai.onnx.ml.FeatureVectorizer", "float[2,1] 1 2; float[3,1] 3 4 5", "", {.error = "rows"}},
                    {"ai.onnx.ml.FeatureVectorizer", "{float[] 1|float[1,1,1] 1}", "", {.error = "*"}},
                    {"ai.onnx.ml.FeatureVectorizer inputdimensions=[{1|1,1,1|-1,1|max,max}]",
                     "float[1] 1; float[1] 1",
                     "",
                     {.error = "inputdimensions"}},
                    {"ai.onnx.ml.FeatureVectorizer inputdimensions={max|4611686018427387904}",
                     "float[2,1] 1 1",
                     "",
                     {.error = "too many"}},
                    {"ai.onnx.ml.FeatureVectorizer inputdimensions=2,3", "int32[N,2]; int32[N,3]", "float[N,5]"},
                    {"ai.onnx.ml.FeatureVectorizer inputdimensions=2,3", "int32; int32[N,3]", "float[N,5]"},
                    {"ai.onnx.ml.FeatureVectorizer", "int32[N,A]; int32[N,B]", "float[N,A+B]"},
                    {"ai.onnx.ml.FeatureVectorizer", "int32; int32", "float[?,?]"},
                });

}  // namespace
}  // namespace feature_vectorizer_test_cc
}  // namespace norn::ops::cases
