// Activation functions against closed forms in double, written another way than the kernels.
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace activation_test_cc {
namespace {

double half_tangent(double x) { return 0.5 * (1.0 + std::tanh(0.5 * x)); }  // 1 / (1 + exp(-x))
double elu(double x) { return std::fmax(x, 0.0) + (x < 0 ? 2 * (std::exp(x) - 1) : 0); }
double celu(double x) { return std::fmax(x, 0.0) + std::fmin(0.0, 2 * (std::exp(x / 2) - 1)); }
double gelu(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }
double gelu_tanh(double x) { return x * half_tangent(2 * std::sqrt(2 / M_PI) * (x + 0.044715 * std::pow(x, 3))); }
double hard_sigmoid(double x) { return std::fmin(1.0, std::fmax(0.0, 0.25 * x + 0.5)); }
double hard_swish(double x) { return x * std::fmin(6.0, std::fmax(0.0, x + 3)) / 6; }
double leaky(double x) { return std::fmax(x, 0.0) + 0.25 * std::fmin(x, 0.0); }
double mish(double x) { return x * (1 - 2 / (std::pow(1 + std::exp(x), 2) + 1)); }
double selu(double x) { return x > 0 ? 2 * x : 3 * (std::exp(x) - 1); }
double softplus(double x) { return std::log(1 + std::exp(x)); }
double swish(double x) { return x * half_tangent(x); }
double swish_of_2(double x) { return x * half_tangent(2 * x); }
double thresholded(double x) { return x > 0.5 ? x : 0.0; }

constexpr std::string_view kAny = "{T[2,3,5] random|T[2,0,3]|T[] random|T[37] random}";

const Cases cases("Activation",
                  {
                      {"Celu alpha=2.0", kAny, "", {.each = celu}},
                      {"Elu alpha=2.0", kAny, "", {.each = elu}},
                      {"Gelu", kAny, "", {.each = gelu}},
                      {"Gelu approximate=tanh", kAny, "", {.each = gelu_tanh}},
                      {"HardSigmoid alpha=0.25 beta=0.5", kAny, "", {.each = hard_sigmoid}},
                      {"HardSwish", kAny, "", {.each = hard_swish, .types = "float16 bfloat16 float"}},
                      {"HardSwish", "double[3] -1 1 4", "double[3] -0.33333333 0.66666666 4", {.tolerance = 1e-7}},
                      {"LeakyRelu alpha=0.25", kAny, "", {.each = leaky}},
                      {"Mish", kAny, "", {.each = mish}},
                      {"Selu alpha=1.5 gamma=2.0", kAny, "", {.each = selu}},
                      {"Softplus", kAny, "", {.each = softplus}},
                      {"Swish", kAny, "", {.each = swish}},
                      {"Swish alpha=2.0", kAny, "", {.each = swish_of_2}},
                      {"ThresholdedRelu alpha=0.5", kAny, "", {.each = thresholded}},
                      // The first versions had an attribute without meaning.
                      {"{Elu|LeakyRelu|Selu}-1 consumed_inputs=0", "float[2] 0 0", "float[2] 0 0"},

                      {"Selu-1", "double[1] 1", "double[1] 1.0507", {.tolerance = 1e-6}},
                      {"Elu", "float[5] nan inf -inf 0 -0", "float[5] nan inf -1 0 0"},
                      {"LeakyRelu alpha=0.5", "float[5] nan inf -inf 0 -0", "float[5] nan inf -inf 0 -0"},
                      {"HardSigmoid", "float[3] nan inf -inf", "float[3] nan 1 0"},
                      {"ThresholdedRelu alpha=1.0", "float[4] nan inf -inf 1", "float[4] 0 inf 0 0"},
                      {"Softplus", "float[4] nan inf -inf 1000", "float[4] nan inf 0 1000"},
                      {"Softplus", "double[2] -40 40", "double[2] 4.248354255291589e-18 40"},
                      {"Shrink bias=1.0 lambd=2.0", "int32[5] -5 -2 0 2 5", "int32[5] -4 0 0 0 4"},
                      {"{Celu|Elu|Gelu|HardSwish|Mish|Softplus|Swish}", "float[N,2*M]", "float[N,2*M]"},
                      {"Gelu approximate=other", "float[2]", "", {.error = "has to be none or tanh"}},
                      {"Elu", "int32[2]", "", {.error = "takes only"}},
                  });

}  // namespace
}  // namespace activation_test_cc
}  // namespace norn::ops::cases
