// IsNaN: what does not equal itself. IsInf: what lies beyond every finite number.
#include <limits>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace is_special_test_cc {
namespace {

void unequal(Sample& s) {
  auto& y = s.out(0, s.in(0).dims);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = s.in(0).values[i] != s.in(0).values[i];
}
void beyond(Sample& s) {
  constexpr double most = std::numeric_limits<double>::max();
  auto& y = s.out(0, s.in(0).dims);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double x = s.in(0).values[i];
    y[i] = (s.number("detect_positive") != 0 && x > most) || (s.number("detect_negative") != 0 && x < -most);
  }
}

const Cases cases(
    "IsSpecial",
    {
        {"IsNaN", "{T1[3,7] odd|T1[] odd}", "bool", {.formula = unequal}},
        {"IsNaN", "T1[2,0,3]", "bool[2,0,3]"},
        {"IsInf detect_negative={0|1} detect_positive={0|1}", "{T1[3,7] odd|T1[] odd}", "bool", {.formula = beyond}},
        {"IsInf", "T1[0]", "bool[0]"},
        {"IsNaN", "float[5] nan inf -inf 0 -0", "bool[5] 1 0 0 0 0"},
        {"IsInf", "float[5] nan inf -inf 3e38 -0", "bool[5] 0 1 1 0 0"},
        {"IsInf detect_negative=0", "double[3] inf -inf nan", "bool[3] 1 0 0"},
        {"IsInf detect_positive=0", "double[3] inf -inf nan", "bool[3] 0 1 0"},
        // Formats with infinities and without; those without zeros below have their NaN there.
        {"IsInf-20", "float8e5m2[4] inf -inf nan 57344", "bool[4] 1 1 0 0"},
        {"IsNaN-20", "float8e4m3fn[3] nan 448 -0", "bool[3] 1 0 0"},
        {"IsNaN-20", "float8e4m3fnuz[3] nan 240 0", "bool[3] 1 0 0"},
        {"IsNaN-20", "float8e5m2fnuz[3] nan 57344 0", "bool[3] 1 0 0"},
        {"{IsNaN|IsInf}", "int32[2]", "", {.error = "takes only"}},
        {"{IsNaN|IsInf}", "float[N,3]", "bool[N,3]"},
        {"{IsNaN|IsInf}", "{float|?}", "bool"},
        {"IsInf-20", "float[2]", "", {.to = 10, .becomes = "IsInf-10"}},
        {"IsInf-20", "float16[2]", "", {.error = "*", .to = 10}},
    });

}  // namespace
}  // namespace is_special_test_cc
}  // namespace norn::ops::cases
