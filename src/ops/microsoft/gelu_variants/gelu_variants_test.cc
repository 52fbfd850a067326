// Gelu and its approximations against their formulas.
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace gelu_variants_test_cc {
namespace {

// By the complementary error function; tests/python/test_microsoft.py has the one with tanh and sums of other types.
double gelu(double x) { return x * std::erfc(-x / std::sqrt(2.0)) / 2; }
double quick_gelu(double x) { return x / (1 + std::exp(-1.702 * x)); }
double gelu_of_sum(double a, double b) { return gelu(a + b); }

const Cases cases("Gelus", {
                               {"com.microsoft.Gelu", "float[2,3,5] random", "", {.each = gelu, .tolerance = 1e-6}},
                               {"com.microsoft.Gelu",
                                "{T[2,3,5] random|T[2,0,3]|T[] random}",
                                "",
                                {.each = gelu, .types = "double", .tolerance = 1e-6}},
                               {"com.microsoft.QuickGelu",
                                "{float[2,3,5] random|float[2,0,3]|float[] random}",
                                "",
                                {.each = quick_gelu, .tolerance = 1e-6}},
                               {"com.microsoft.QuickGelu alpha=1.0",
                                "float[3] 0 1 -1",
                                "float[3] 0 0.7310586 -0.26894143",
                                {.tolerance = 1e-6}},
                               {"com.microsoft.BiasGelu",
                                "float[2,3,5] random; float[5] random 7",
                                "",
                                {.both = gelu_of_sum, .tolerance = 1e-6}},
                               {"com.microsoft.FastGelu",
                                "float[3] 0 1 -1; float[3] 0 1 0",
                                "float[3] 0 1.9545977 -0.15880801",
                                {.tolerance = 1e-6}},
                               {"com.microsoft.BiasGelu", "float[N,2*M]; float[2*M]", "float[N,2*M]"},
                               {"com.microsoft.FastGelu", "bfloat16[N,2*M]", "bfloat16[N,2*M]"},
                               {"com.microsoft.{BiasGelu|FastGelu}",
                                "float[2,3,{1|5}] random; float[4] random",
                                "",
                                {.error = "and axis 0 of"}},
                               {"com.microsoft.{BiasGelu|FastGelu}",
                                "float[2,3,4] random; {float[1]|float[]|float[1,4]} random",
                                "",
                                {.error = "*"}},
                               {"com.microsoft.QuickGelu", "int32[2]", "", {.error = "takes only"}},
                           });

}  // namespace
}  // namespace gelu_variants_test_cc
}  // namespace norn::ops::cases
