// Support vector machines: values of ONNX Runtime, which onnx's evaluator agrees with, and small closed forms.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace svm_test_cc {
namespace {

const Cases given(
    "SvmModels",
    {
        {"ai.onnx.ml.SVMClassifier-1 classlabels_ints=[7,9] kernel_type=LINEAR kernel_params=[0.5,0.25,2] "
         "coefficients=[0.5,1,-0.75] rho=[0.1] vectors_per_class=[2,1] support_vectors=[1,0,0,1,-1,0.5]",
         "float[3,2] 1 2 -3 0.5 0.25 -0.5",
         "int64[3] 7 9 7; float[3,2] -2.5999999 2.5999999 3.3375001 -3.3375001 -0.100000001 0.100000001",
         {.tolerance = 1e-5}},
        {"ai.onnx.ml.SVMClassifier-1 classlabels_ints=[7,9] kernel_type=LINEAR kernel_params=[0.5,0.25,2] "
         "coefficients=[0.5,1,-0.75] rho=[0.1] vectors_per_class=[2,1] support_vectors=[1,0,0,1,-1,0.5]",
         "T1[1,2] 1 2",
         "int64[1] 7; float[1,2] -2.5999999 2.5999999",
         {.tolerance = 1e-5}},
        {"ai.onnx.ml.SVMClassifier-1 classlabels_ints=[7,9] kernel_type=RBF kernel_params=[0.5,0.25,2] "
         "coefficients=[0.5,1,-0.75] rho=[0.1] vectors_per_class=[2,1] support_vectors=[1,0,0,1,-1,0.5]",
         "float[3,2] 1 2 -3 0.5 0.25 -0.5",
         "int64[3] 7 7 7; float[3,2] -0.502594411 0.502594411 -0.00845021382 0.00845021382 -0.539468288 0.539468288",
         {.tolerance = 1e-5}},
        {"ai.onnx.ml.SVMClassifier-1 classlabels_ints=[7,9] kernel_type=RBF kernel_params=[0.5,0.25,2] "
         "coefficients=[0.5,1,-0.75] rho=[0.1] vectors_per_class=[2,1] support_vectors=[1,0,0,1,-1,0.5] "
         "post_transform=LOGISTIC",
         "float[3,2] 1 2 -3 0.5 0.25 -0.5",
         "int64[3] 7 7 7; float[3,2] 0.37693119 0.62306881 0.497887433 0.502112567 0.368311226 0.631688774",
         {.tolerance = 1e-5}},
        {"ai.onnx.ml.SVMClassifier-1 classlabels_ints=[7,9] kernel_type=RBF kernel_params=[0.5,0.25,2] "
         "coefficients=[0.5,1,-0.75] rho=[0.1] vectors_per_class=[2,1] support_vectors=[1,0,0,1,-1,0.5] prob_a=[-1.5] "
         "prob_b=[0.2]",
         "float[3,2] 1 2 -3 0.5 0.25 -0.5",
         "int64[3] 7 7 7; float[3,2] 0.633396983 0.366603047 0.453264415 0.546735585 0.645568073 0.354431838",
         {.tolerance = 1e-5}},
        {"ai.onnx.ml.SVMClassifier-1 classlabels_ints=[7,9] kernel_type=RBF kernel_params=[0.5,0.25,2] "
         "coefficients=[0.5,1,-0.75] rho=[0.1] vectors_per_class=[2,1] support_vectors=[1,0,0,1,-1,0.5] prob_a=[-1.5] "
         "prob_b=[0.2] post_transform=LOGISTIC",
         "float[3,2] 1 2 -3 0.5 0.25 -0.5",
         "int64[3] 7 7 7; float[3,2] 0.653259277 0.590637922 0.611415088 0.63337785 0.656010985 0.587691844",
         {.tolerance = 1e-5}},
        {"ai.onnx.ml.SVMClassifier-1 classlabels_strings=[p,q,r] kernel_type=POLY kernel_params=[0.5,0.25,3] "
         "coefficients=[0.5,1,-0.75,0.2,-0.3,0.6] rho=[0.1,-0.2,0.3] vectors_per_class=[1,1,1] "
         "support_vectors=[1,0,0,1,-1,0.5]",
         "float[3,2] 1 2 -3 0.5 0.25 -0.5",
         "string[3] \"r\" \"q\" \"p\"; float[3,3] 2.2640624 -0.127343744 -0.276562482 -0.751562476 -5.53447247 "
         "4.21757841 0.126367182 -0.189453125 0.300000012",
         {.tolerance = 1e-5}},
        {"ai.onnx.ml.SVMClassifier-1 classlabels_strings=[p,q,r] kernel_type=SIGMOID kernel_params=[0.5,0.25,3] "
         "coefficients=[0.5,1,-0.75,0.2,-0.3,0.6] rho=[0.1,-0.2,0.3] vectors_per_class=[1,1,1] "
         "support_vectors=[1,0,0,1,-1,0.5]",
         "float[3,2] 1 2 -3 0.5 0.25 -0.5",
         "string[3] \"p\" \"p\" \"p\"; float[3,3] 1.26585817 -0.25665921 0.19246611 0.137975335 -1.08519065 "
         "0.733792007 0.279178709 -0.128328532 0.300000012",
         {.tolerance = 1e-5}},
        {"ai.onnx.ml.SVMClassifier-1 classlabels_strings=[p,q,r] kernel_type=RBF kernel_params=[0.5,0.25,3] "
         "coefficients=[0.5,1,-0.75,0.2,-0.3,0.6] rho=[0.1,-0.2,0.3] vectors_per_class=[1,1,1] "
         "support_vectors=[1,0,0,1,-1,0.5] prob_a=[-1,-2,-0.5] prob_b=[0.1,0.2,-0.1]",
         "float[3,2] 1 2 -3 0.5 0.25 -0.5",
         "string[3] \"p\" \"p\" \"p\"; float[3,3] 0.304774791 0.317167163 0.378058255 0.252777427 0.376952708 "
         "0.370270044 0.305966228 0.306755275 0.387278616",
         {.tolerance = 1e-5}},
        {"ai.onnx.ml.SVMClassifier-1 classlabels_strings=[p,q,r] kernel_type=LINEAR kernel_params=[0.5,0.25,3] "
         "coefficients=[0.5,1,-0.75,0.2,-0.3,0.6] rho=[0.1,-0.2,0.3] vectors_per_class=[1,1,1] "
         "support_vectors=[1,0,0,1,-1,0.5] prob_a=[-1,-2,-0.5] prob_b=[0.1,0.2,-0.1] post_transform=SOFTMAX",
         "float[3,2] 1 2 -3 0.5 0.25 -0.5",
         "string[3] \"r\" \"q\" \"q\"; float[3,3] 0.371847153 0.273820311 0.354332507 0.255963445 0.447508603 "
         "0.296527952 0.326507032 0.354638636 0.318854392",
         {.tolerance = 1e-5}},
        {"ai.onnx.ml.SVMClassifier-1 classlabels_ints=[7,9,4] kernel_params=[0,0,0] "
         "coefficients=[0.5,1,-0.75,0.2,-0.3,0.6] rho=[0.1] post_transform=SOFTMAX",
         "float[3,2] 1 2 -3 0.5 0.25 -0.5",
         "int64[3] 7 9 9; float[3,3] 0.793814063 0.0459176414 0.160268307 0.0259553175 0.739797473 0.234247148 "
         "0.323473603 0.353052765 0.323473603",
         {.tolerance = 1e-5}},
        // Kernels beyond f32, of which each pair has its own classes' alone.
        {"ai.onnx.ml.SVMClassifier-1 classlabels_strings=[p,q,r] kernel_type=POLY kernel_params=[0.5,0.25,3] "
         "coefficients=[0.5,1,-0.75,0.2,-0.3,0.6] rho=[0.1,-0.2,0.3] vectors_per_class=[1,1,1] "
         "support_vectors=[1,0,0,1,-1,0.5]",
         "float[1,2] 1e14 0", "string[1] \"p\"; float[1,3] inf inf -inf"},
        {"ai.onnx.ml.SVMRegressor-1 kernel_type=LINEAR kernel_params=[0.5,0.25,2] coefficients=[0.5,1,-0.75] rho=[0.1] "
         "n_supports=3 support_vectors=[1,0,0,1,-1,0.5]",
         "float[2,2] inf 1 1 2",
         "float[2,1] nan 2.6",
         {.tolerance = 1e-5}},
        {"ai.onnx.ml.SVMRegressor-1 kernel_type=LINEAR kernel_params=[0.5,0.25,2] coefficients=[0.5,1,-0.75] rho=[0.1] "
         "n_supports=3 support_vectors=[1,0,0,1,-1,0.5]",
         "float[3,2] 1 2 -3 0.5 0.25 -0.5",
         "float[3,1] 2.5999999 -3.3375001 0.100000001",
         {.tolerance = 1e-5}},
        {"ai.onnx.ml.SVMRegressor-1 kernel_type=RBF kernel_params=[0.5,0.25,2] coefficients=[0.5,1,-0.75] rho=[0.1] "
         "n_supports=3 support_vectors=[1,0,0,1,-1,0.5]",
         "float[3,2] 1 2 -3 0.5 0.25 -0.5",
         "float[3,1] 0.502594411 0.00845021755 0.539468229",
         {.tolerance = 1e-5}},
        {"ai.onnx.ml.SVMRegressor-1 kernel_type=POLY kernel_params=[0.5,0.25,2] coefficients=[0.5,1,-0.75] rho=[0.1] "
         "n_supports=3 support_vectors=[1,0,0,1,-1,0.5]",
         "float[3,2] 1 2 -3 0.5 0.25 -0.5",
         "float[3,1] 1.89687502 -1.50546873 0.170312494",
         {.tolerance = 1e-5}},
        {"ai.onnx.ml.SVMRegressor-1 kernel_type=SIGMOID kernel_params=[0.5,0.25,2] coefficients=[0.5,1,-0.75] "
         "rho=[0.1] n_supports=3 support_vectors=[1,0,0,1,-1,0.5]",
         "float[3,2] 1 2 -3 0.5 0.25 -0.5",
         "float[3,1] 1.08216918 -0.577558577 0.279178709",
         {.tolerance = 1e-5}},
        {"ai.onnx.ml.SVMRegressor-1 kernel_type=LINEAR kernel_params=[0.5,0.25,2] coefficients=[0.5,1,-0.75] rho=[0.1] "
         "n_supports=3 support_vectors=[1,0,0,1,-1,0.5] one_class=1",
         "float[3,2] 1 2 -3 0.5 0.25 -0.5",
         "float[3,1] 1 -1 1",
         {.tolerance = 1e-5}},
        {"ai.onnx.ml.SVMRegressor-1 coefficients=[0.5,1] kernel_type=RBF kernel_params=[1,1,1] rho=[0.1]",
         "float[3,2] 1 2 -3 0.5 0.25 -0.5",
         "float[3,1] 2.5999999 -0.899999976 -0.275000006",
         {.tolerance = 1e-5}},
        // One vector at 0 for each class: kernels are 1, and the score is rho + 2 - 3.
        {"ai.onnx.ml.SVMClassifier classlabels_ints=4,5 kernel_type=RBF kernel_params=1,0,0 coefficients=2,-3 rho=0.5 "
         "vectors_per_class=1,1 support_vectors=0,0",
         "double[1,1] 0", "int64[1] 5; float[1,2] 0.5 -0.5"},
        {"ai.onnx.ml.SVMClassifier classlabels_ints=4,5 kernel_type=RBF kernel_params=1,0,0 coefficients=2,-3 rho=1.5 "
         "vectors_per_class=1,1 support_vectors=0,0",
         "double[1] 0", "int64[1] 4; float[1,2] -0.5 0.5"},
        {"ai.onnx.ml.SVMRegressor coefficients=1,2 rho=0.5", "{int32|int64|float|double}[2,2] 1 2 3 4",
         "float[2,1] 5.5 11.5"},
        {"ai.onnx.ml.SVMRegressor coefficients=1 rho=0 post_transform=LOGISTIC", "float[1] 0", "float[1,1] 0.5"},
        {"ai.onnx.ml.SVMRegressor coefficients=1 rho=0 one_class=1", "float[4,1] 1 0 -1 nan", "float[4,1] 1 -1 -1 -1"},
        {"ai.onnx.ml.SVMRegressor coefficients=1 rho=0", "float[0,1]", "float[0,1]"},
        {"ai.onnx.ml.SVMClassifier classlabels_ints=8 coefficients=1 rho=0", "float[3,1] 1 0 -1",
         "int64[3] 8 0 0; float[3,1] 1 0 -1"},
        {"ai.onnx.ml.SVMClassifier classlabels_ints=8,9 coefficients=1,2 rho=1,2",
         "float[1,1] 1",
         "",
         {.error = "rho"}},
        {"ai.onnx.ml.SVMClassifier classlabels_ints=8,9 coefficients=1,2,3 rho=1",
         "float[1,1] 1",
         "",
         {.error = "coefficients"}},
        {"ai.onnx.ml.SVMClassifier classlabels_ints=8,9 coefficients=1,2 rho=1 vectors_per_class=1,1 "
         "support_vectors=1,2,3",
         "float[1,1] 1",
         "",
         {.error = "support_vectors"}},
        {"ai.onnx.ml.SVMClassifier classlabels_ints=8,9 coefficients=1,2 rho=1 "
         "vectors_per_class=[{1|1,-1|0,0|max,max|max,1}] support_vectors=1,2",
         "float[1,1] 1",
         "",
         {.error = "*"}},
        {"ai.onnx.ml.SVMClassifier classlabels_ints=8,9 coefficients=1,2 rho=1,1 vectors_per_class=1,1 "
         "support_vectors=1,2",
         "float[1,1] 1",
         "",
         {.error = "rho"}},
        {"ai.onnx.ml.SVMClassifier classlabels_ints=8,9 coefficients=1,2 rho=1 vectors_per_class=1,1 "
         "support_vectors=1,2 prob_a=1",
         "float[1,1] 1",
         "",
         {.error = "prob_b"}},
        {"ai.onnx.ml.SVMClassifier classlabels_ints=8,9 coefficients=1,2 rho=1 kernel_type=linear",
         "float[1,1] 1",
         "",
         {.error = "kernel_type"}},
        {"ai.onnx.ml.SVMClassifier classlabels_ints=8,9 coefficients=1,2 rho=1 kernel_params=1",
         "float[1,1] 1",
         "",
         {.error = "kernel_params"}},
        {"ai.onnx.ml.SVMRegressor coefficients=1 rho=0 n_supports={-1|2|min|max}", "float[1,1] 1", "", {.error = "*"}},
        {"ai.onnx.ml.SVMRegressor coefficients=1,2 rho=0", "{float[1,1] 1|float[] 1}", "", {.error = "*"}},
        {"ai.onnx.ml.SVMRegressor coefficients=1", "float[1,1] 1", "", {.error = "rho"}},
        {"ai.onnx.ml.SVMRegressor coefficients=1,2 rho=0", "double[N,M]", "float[N,1]"},
        {"ai.onnx.ml.SVMClassifier classlabels_ints=8,9 coefficients=1,2 rho=1", "double[N,1]", "int64[N]; float[N,2]"},
        {"ai.onnx.ml.SVMClassifier classlabels_ints=8,9 coefficients=1,2 rho=1", "double[N,2]", "", {.error = "*"}},
    });

}  // namespace
}  // namespace svm_test_cc
}  // namespace norn::ops::cases
