// Ceil, Floor and Round against what they are defined by: the integers next to a number.
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace rounding_test_cc {
namespace {

double down(double x) {
  return std::isfinite(x) ? x - (std::fmod(x, 1) < 0 ? std::fmod(x, 1) + 1 : std::fmod(x, 1)) : x;
}
double up(double x) { return -down(-x); }

constexpr std::string_view kValues = "T[4,4] -2.5 -2 -1.5 -1.25 -0.5 -0.25 -0 0 0.25 0.5 0.75 1.5 2.5 3 96 inf";

const Cases cases("Rounding",
                  {
                      {"Ceil", kValues, "", {.each = up}},
                      {"Floor", kValues, "", {.each = down}},
                      // Halves go to the even integer, and zero keeps the sign.
                      {"Round", kValues, "T[4,4] -2 -2 -2 -1 -0 -0 -0 0 0 0 1 2 2 3 96 inf", {.tolerance = 0}},
                      {"{Ceil|Floor|Round}", "float[1] nan", "float[1] nan"},
                      {"{Ceil|Floor|Round}", "double[0,2]", "double[0,2]"},
                      {"Ceil-1 consumed_inputs=0", "float[2] 0.5 -1.5", "float[2] 1 -1"},
                      {"Floor-1 consumed_inputs=0", "float[2] 0.5 -1.5", "float[2] 0 -2"},
                  });

}  // namespace
}  // namespace rounding_test_cc
}  // namespace norn::ops::cases
