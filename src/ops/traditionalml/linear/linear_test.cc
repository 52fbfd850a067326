// Linear models: values of ONNX Runtime where it agrees with onnx's evaluator, and closed forms: of two classes with
// one score s, the scores are -s and s.
#include <cmath>

#include "ops/common/case.h"
#include "ops/common/slice_test.h"
#include "ops/traditionalml/linear/linear.h"

namespace norn::ops::test {
inline namespace linear_test_cc {
namespace {

const cases::Cases given(
    "LinearModels",
    {
        {"ai.onnx.ml.LinearClassifier-1 classlabels_strings=[a,b,c] coefficients=[0.5,1,0.25,-0.5,0,0] "
         "intercepts=[0.25,0.1,0]",
         "float[3,2] 1 2 -3 0.5 0.25 -0.5",
         "string[3] \"a\" \"c\" \"b\"; float[3,3] 2.75 -0.649999976 0 -0.75 -0.899999976 0 -0.125 0.412499994 0",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.LinearClassifier-1 classlabels_ints=[4,5,6] coefficients=[0.5,1,0.25,-0.5,0,0] "
         "intercepts=[0.25,0.1,0] post_transform=LOGISTIC",
         "float[3,2] 1 2 -3 0.5 0.25 -0.5",
         "int64[3] 4 6 5; float[3,3] 0.939913392 0.342989564 0.5 0.320821315 0.289050519 0.5 0.468790621 0.601687193 "
         "0.5",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.LinearClassifier-1 classlabels_ints=[4,5,6] coefficients=[0.5,1,0.25,-0.5,0,0] "
         "intercepts=[0.25,0.1,0] post_transform=SOFTMAX",
         "float[3,2] 1 2 -3 0.5 0.25 -0.5",
         "int64[3] 4 6 5; float[3,3] 0.911326885 0.0304139536 0.0582591742 0.251401067 0.216382906 0.532216072 "
         "0.260086775 0.445196301 0.294716924",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.LinearClassifier-1 classlabels_ints=[4,5,6] coefficients=[0.5,1,0.25,-0.5,0,0] "
         "intercepts=[0.25,0.1,0] post_transform=SOFTMAX_ZERO",
         "float[3,2] 1 2 -3 0.5 0.25 -0.5",
         "int64[3] 4 6 5; float[3,3] 0.967704594 0.0322954617 0 0.537429869 0.46257019 0 0.368769348 0.631230652 0",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.LinearClassifier-1 classlabels_ints=[7,9] coefficients=[0.5,1] intercepts=[0.25] "
         "post_transform=LOGISTIC",
         "float[3,2] 1 2 -3 0.5 0.25 -0.5",
         "int64[3] 9 7 7; float[3,2] 0.0600866675 0.939913332 0.679178715 0.320821285 0.531209409 0.468790591",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.LinearClassifier-1 classlabels_ints=[7,9] coefficients=[0.5,1,0.2,0.3] intercepts=[0.25,0.1] "
         "multi_class=1",
         "float[3,2] 1 2 -3 0.5 0.25 -0.5",
         "int64[3] 7 9 9; float[3,2] 2.75 0.900000036 -0.75 -0.350000024 -0.125 -7.4505806e-09",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.LinearClassifier-1 classlabels_ints=[7,9] coefficients=[0.5,1,0.2,0.3] intercepts=[0.25,0.1]",
         "int32[2,2] 1 2 -3 0",
         "int64[2] 7 9; float[2,2] 2.75 0.900000036 -1.25 -0.5",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.LinearRegressor-1 targets=2 coefficients=[0.5,1,2,3] intercepts=[0.25,1]",
         "float[3,2] 1 2 -3 0.5 0.25 -0.5",
         "float[3,2] 2.75 9 -0.75 -3.5 -0.125 0",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.LinearRegressor-1 coefficients=[0.5,1]",
         "float[3,2] 1 2 -3 0.5 0.25 -0.5",
         "float[3,1] 2.5 -1 -0.375",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.LinearRegressor-1 coefficients=[0.5,1]", "float[2] 1 2", "float[1,1] 2.5", {.tolerance = 1e-6}},
        {"ai.onnx.ml.LinearRegressor-1 targets=2 coefficients=[0.5,1,2,3] post_transform=SOFTMAX",
         "float[3,2] 1 2 -3 0.5 0.25 -0.5",
         "float[3,2] 0.00407013809 0.995929897 0.970687747 0.0293122306 0.651354909 0.348645151",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.LinearClassifier classlabels_ints=7,9 coefficients=0.5,1 intercepts=0.25",
         "float[3,2] 1 2 -3 0.5 0.1 0.1", "int64[3] 9 7 9; float[3,2] -2.75 2.75 0.75 -0.75 -0.4 0.4"},
        {"ai.onnx.ml.LinearClassifier classlabels_ints=7,9 coefficients=0.5,1 intercepts=0.25 post_transform=SOFTMAX",
         "float[3,2] 1 2 -3 0.5 0.1 0.1",
         "int64[3] 9 7 9; float[3,2] 0.00407013809 0.995929897 0.817574501 0.182425529 0.310025513 0.689974487",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.LinearClassifier classlabels_strings=[a] coefficients=1", "{int32|int64|float|double}[3,1] 1 0 -1",
         "string[3] a a \"\"; float[3,1] 1 0 -1"},
        {"ai.onnx.ml.LinearClassifier classlabels_ints=1,2 coefficients=[] intercepts=1,2", "float[2,0]",
         "int64[2] 2 2; float[2,2] 1 2 1 2"},
        {"ai.onnx.ml.LinearClassifier classlabels_ints=1,2 coefficients=1,2", "float[0,1]", "int64[0]; float[0,2]"},
        {"ai.onnx.ml.LinearClassifier classlabels_ints=1,2 coefficients=1,2", "double[1,1] 1", "-; float[1,2] 1 2"},
        {"ai.onnx.ml.LinearRegressor coefficients=1 post_transform=LOGISTIC", "double[3,1] 0 800 -800",
         "float[3,1] 0.5 1 0"},
        {"ai.onnx.ml.LinearRegressor coefficients=1 post_transform=PROBIT",
         "double[5,1] 0.5 0 1 2 0.8413447460685429",
         "float[5,1] 0 -inf inf nan 1",
         {.tolerance = 1e-6}},
        {"ai.onnx.ml.LinearRegressor targets=2 coefficients=0,0 post_transform=SOFTMAX_ZERO", "float[1,1] 1",
         "float[1,2] 0.5 0.5"},
        {"ai.onnx.ml.LinearClassifier classlabels_ints=1,2 coefficients=1,2,3",
         "float[1,1] 1",
         "",
         {.error = "coefficients"}},
        {"ai.onnx.ml.LinearClassifier classlabels_ints=1,2 coefficients=1,2 intercepts=1,2,3",
         "float[1,1] 1",
         "",
         {.error = "intercepts"}},
        {"ai.onnx.ml.LinearClassifier classlabels_ints=1,2 classlabels_strings=[a,b] coefficients=1,2",
         "float[1,1] 1",
         "",
         {.error = "exactly one"}},
        {"ai.onnx.ml.LinearClassifier coefficients=1,2", "float[1,1] 1", "", {.error = "exactly one"}},
        {"ai.onnx.ml.LinearClassifier classlabels_ints=1,2 coefficients=1,2 post_transform=none",
         "float[1,1] 1",
         "",
         {.error = "post_transform"}},
        {"ai.onnx.ml.LinearClassifier classlabels_ints=1,2 coefficients=1,2",
         "{float[1,2] 1 1|float[] 1|float[1,1,1] 1}",
         "",
         {.error = "*"}},
        {"ai.onnx.ml.LinearRegressor coefficients=1,2 targets={0|-1|min|3|max}", "float[1,1] 1", "", {.error = "*"}},
        {"ai.onnx.ml.LinearRegressor", "float[1,1] 1", "", {.error = "coefficients"}},
        {"ai.onnx.ml.LinearClassifier classlabels_strings=[a,b] coefficients=1,2 intercepts=0", "double[N,2]",
         "string[N]; float[N,2]"},
        {"ai.onnx.ml.LinearClassifier classlabels_ints=1,2,3 coefficients=1,2,3", "double", "int64; float"},
        {"ai.onnx.ml.LinearRegressor coefficients=1,2 targets=2", "int64[N,M]", "float[N,2]"},
        {"ai.onnx.ml.LinearRegressor coefficients=1,2", "int64[N,3]", "", {.error = "*"}},
    });

TEST(Scores, ProbitIsTheInverseOfTheNormalDistribution) {
  for (const double x : {-30.0, -8.0, -2.5, -1.0, -1e-3, 0.0, 0.25, 1.0, 3.0, 5.0})
    EXPECT_NEAR(probit(std::erfc(-x / std::sqrt(2.0)) / 2), x, 1e-9 * (1 + std::fabs(x))) << x;
}

}  // namespace
}  // namespace linear_test_cc
}  // namespace norn::ops::test
