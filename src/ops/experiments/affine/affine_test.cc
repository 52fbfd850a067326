// Against the formulas that ONNX 1.3 gives; numbers of ImageScaler are worked out by hand.
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace affine_test_cc {
namespace {

double affine(double x) { return 2 * (x + 1.5) - 2; }
double softplus(double x) { return 2 * std::log1p(std::exp(3 * x)); }
double scaled_tanh(double x) { return 2 * (1 - 2 / (std::exp(6 * x) + 1)); }
double halved(double x) { return x / 2; }

constexpr std::string_view kAny = "{T[2,3,5] random|T[2,0,3]|T[] random}";

const Cases cases(
    "Affine",
    {
        {"Affine-1 alpha=2.0 beta=1.0", kAny, "", {.each = affine, .types = "float double", .tolerance = 1e-6}},
        {"Affine-1 alpha=2.0 beta=1.0", "float16[3] 0.5 -1 inf", "float16[3] 2 -1 inf"},
        {"Affine-9", "float[4] 0.5 -1 nan inf", "float[4] 0.5 -1 nan inf"},
        {"ParametricSoftplus-1 alpha=2.0 beta=3.0",
         kAny,
         "",
         {.each = softplus, .types = "float double", .tolerance = 1e-6}},
        {"ParametricSoftplus-1 alpha=2.0 beta=3.0",
         "float[3] -1 0 2.5",
         "float[3] 0.09717466 1.38629436 15.00110626",
         {.tolerance = 1e-6}},
        {"ScaledTanh-1 alpha=2.0 beta=3.0",
         kAny,
         "",
         {.each = scaled_tanh, .types = "float double", .tolerance = 1e-6}},
        {"ScaledTanh-7 alpha=2.0 beta=3.0", "float16[2] 0 inf", "float16[2] 0 2"},
        {"Scale-1 scale=0.5", kAny, "", {.each = halved}},
        {"Scale-6", "double[2] -0 3", "double[2] -0 3"},
        {"ImageScaler-1 scale=2.0 bias=10.0,20.0", "T[1,2,1,3] 0 1 2 3 4 5", "T[1,2,1,3] 10 12 14 26 28 30"},
        {"ImageScaler-1 scale=2.0", "float[1,1,1,2] 1 2", "float[1,1,1,2] 2 4"},
        {"ImageScaler-1 bias=1.0,2.0", "float[0,2,3,3]", "float[0,2,3,3]"},
        {"ImageScaler-1 bias=1.0,2.0", "float[N,2,H,W]", "float[N,2,H,W]"},
        {"ImageScaler-1 bias=1.0,2.0", "float[1,3,1,1] 1 2 3", "", {.error = "*"}},
        {"ImageScaler-1 bias=1.0", "float[1,3,1,1] 1 2 3", "", {.error = "*"}},
        {"ImageScaler-1 bias=1.0,2.0", "float[3,2,1] 1 2 3 4 5 6", "", {.error = "rank 4"}},
        {"{Affine|Scale}-1", "int32[2] 1 2", "", {.error = "takes only"}},
        {"{Affine|Scale}-1", "float[N,2*M]", "float[N,2*M]"},
    });

}  // namespace
}  // namespace affine_test_cc
}  // namespace norn::ops::cases
