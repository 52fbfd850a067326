#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace unary_log_test_cc {
namespace {

double logarithm(double x) { return std::log2(x) * M_LN2; }
double inverse(double x) { return 1 / x; }
double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

const Cases cases(
    "UnaryLog",
    {
        {"Log", "{T[2,3] positive|T[2,0]|T[] positive|T[9] odd}", "", {.each = logarithm, .tolerance = 1e-15}},
        {"Reciprocal", "{T[2,3] positive|T[2,0]|T[] positive|T[9] odd}", "", {.each = inverse}},
        {"Sign", "{T[2,3] random|T[2,0]|T[] random|T[9] odd}", "", {.each = sign}},
        {"Log-13", "double[4] nan -1 0 inf", "double[4] nan nan -inf inf"},
        {"Reciprocal-13", "T[4] 1 4 0.5 0.25", "T[4] 1 0.25 2 4"},
        {"Sign-9..", "int8[3] -128 0 1", "int8[3] -1 0 1"},
        {"Sign-9..", "uint64[2] max 0", "uint64[2] 1 0"},
    });

}  // namespace
}  // namespace unary_log_test_cc
}  // namespace norn::ops::cases
