// The unary element-wise operators against closed forms in double.
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace unary_math_test_cc {
namespace {

double relu(double x) { return std::isnan(x) ? x : std::fmax(x, 0.0); }
double negative(double x) { return 0.0 - x; }
double root(double x) { return x < 0 ? NAN : std::sqrt(x); }
double erf(double x) { return 1.0 - std::erfc(x); }
double sigmoid(double x) { return 0.5 * (1.0 + std::tanh(0.5 * x)); }
double hyperbolic(double x) {
  return std::isinf(x) ? std::copysign(1.0, x) : -std::expm1(-2 * x) / (2 + std::expm1(-2 * x));
}
double softsign(double x) { return x / (1.0 + std::abs(x)); }

constexpr std::string_view kAny = "{T[2,3,5] random|T[2,0,3]|T[] random|T[3,7] odd}";

const Cases cases("UnaryMath",
                  {
                      {"Relu", kAny, "", {.each = relu}},
                      {"Abs", kAny, "", {.each = std::abs}},
                      {"Neg", kAny, "", {.each = negative}},
                      {"Exp", kAny, "", {.each = std::exp}},
                      {"Sqrt", kAny, "", {.each = root}},
                      {"Erf", kAny, "", {.each = erf, .types = "floats"}},
                      {"Sigmoid", kAny, "", {.each = sigmoid}},
                      {"Tanh", kAny, "", {.each = hyperbolic}},
                      {"Softsign", kAny, "", {.each = softsign}},
                      // The first versions had an attribute without meaning.
                      {"Relu-1 consumed_inputs=0", "T[2,3] random", "", {.each = relu}},
                      {"Abs-1 consumed_inputs=0", "T[2,3] random", "", {.each = std::abs}},
                      {"Neg-1 consumed_inputs=0", "T[2,3] random", "", {.each = negative}},
                      {"Exp-1 consumed_inputs=0", "T[2,3] random", "", {.each = std::exp}},
                      {"Sqrt-1 consumed_inputs=0", "T[2,3] positive", "", {.each = root}},
                      {"Sigmoid-1 consumed_inputs=0", "T[2,3] random", "", {.each = sigmoid}},
                      {"Tanh-1 consumed_inputs=0", "T[2,3] random", "", {.each = hyperbolic}},

                      {"Relu", "double[5] nan inf -inf 0 -0", "double[5] nan inf 0 0 0"},
                      {"Abs", "double[5] nan inf -inf 0 -0", "double[5] nan inf inf 0 0", {.tolerance = 0}},
                      {"Neg", "double[5] nan inf -inf 0 -0", "double[5] nan -inf inf -0 0", {.tolerance = 0}},
                      {"Exp", "double[5] nan inf -inf 0 -0", "double[5] nan inf 0 1 1"},
                      {"Sqrt", "double[5] nan inf -inf 0 -0", "double[5] nan inf nan 0 -0"},
                      {"Erf", "double[5] nan inf -inf 0 -0", "double[5] nan 1 -1 0 -0"},
                      {"Sigmoid", "double[5] nan inf -inf 0 -0", "double[5] nan 1 0 0.5 0.5"},
                      {"Tanh", "double[5] nan inf -inf 0 -0", "double[5] nan 1 -1 0 -0"},
                      {"Softsign", "double[5] nan inf -inf 0 -0", "double[5] nan nan nan 0 -0"},

                      // The least integers wrap around.
                      {"{Abs|Neg}", "int64[2] min -5", "int64[2] min 5"},
                      {"{Abs|Neg}", "int8[2] -128 -127", "int8[2] -128 127"},
                      {"Abs", "uint64[1] max", "uint64[1] max"},
                      // Integers have been allowed up to version 9 of Erf.
                      {"Erf-9", "T[7] -100 -4 -3 0 3 4 100", "T[7] -1 -1 0 0 0 1 1", {.types = "signed"}},
                      {"Erf-9", "T[3] 0 3 9", "T[3] 0 0 1", {.types = "unsigned"}},

                      {"Relu", "int64[3] -2 0 5", "int64[3] 0 0 5"},
                      {"Neg", "int64[] 4", "int64[] -4"},
                      {"Neg", "int64[2] N 3", "int64[2] 0-N -3"},
                      {"Exp", "float[N,2*M]", "float[N,2*M]"},
                      {"Exp", "bfloat16", "bfloat16"},
                      {"Exp", "int32[2]", "", {.error = "takes only"}},
                  });

}  // namespace
}  // namespace unary_math_test_cc
}  // namespace norn::ops::cases
