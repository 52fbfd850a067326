// CumSum and CumProd against their definition: each element by itself, from those that come before it.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace cumulative_test_cc {
namespace {

void accumulate(Sample& s, double neutral, double (*op)(double, double)) {
  const Numbers& x = s.in(0);
  const double given = s.in(1).values[0];
  const auto axis = static_cast<std::size_t>(given < 0 ? given + static_cast<double>(x.dims.size()) : given);
  auto& y = s.out(0, x.dims);
  std::vector<std::int64_t> at(x.dims.size());
  do {
    double& total = y[position(at, x.dims)] = neutral;
    auto from = at;
    for (from[axis] = 0; from[axis] < x.dims[axis]; ++from[axis]) {
      const std::int64_t before = s.number("reverse") == 0 ? at[axis] - from[axis] : from[axis] - at[axis];
      if (before > 0 || (before == 0 && s.number("exclusive") == 0))
        total = op(total, x.values[position(from, x.dims)]);
    }
  } while (next(at, x.dims));
}
void sums(Sample& s) {
  accumulate(s, 0, [](double a, double b) { return a + b; });
}
void products(Sample& s) {
  accumulate(s, 1, [](double a, double b) { return a * b; });
}

const Cases cases(
    "Cumulative",
    {
        {"CumSum exclusive={0|1} reverse={0|1}", "T[2,3,4] uniform 0 5; T2[] {-3|-2|-1|0|1|2}", "", {.formula = sums}},
        {"CumProd exclusive={0|1} reverse={0|1}",
         "T[2,3,4] uniform 1 3; T2[1] {-3|-2|-1|0|1|2}",
         "",
         {.formula = products}},
        {"CumSum", "T[7] odd; int64[] 0", "", {.formula = sums, .types = "floats"}},
        {"CumSum", "int64[2] max 1; int64[] 0", "int64[2] max min"},
        // Added one by one in single precision, the last would stay 2^24.
        {"CumSum", "float[3] 16777216 1 1; int64[] 0", "float[3] 16777216 16777216 16777218", {.tolerance = 0}},
        {"CumSum", "double[4] 1 nan 2 inf; int64[] 0", "double[4] 1 nan nan nan"},
        {"{CumSum|CumProd} exclusive=1 reverse=1", "T[0,3]; T2[] {0|1}", "T[0,3]"},
        {"{CumSum|CumProd} exclusive=1 reverse=1", "T[2,0]; T2[] {0|1}", "T[2,0]"},
        {"{CumSum|CumProd}", "float[2] 1 2; int64[] {1|-2}", "", {.error = "axis"}},
        {"{CumSum|CumProd}", "float[2] 1 2; int64[2] 0 0", "", {.error = "one number"}},
        {"{CumSum|CumProd}", "float[] 1; int64[] 0", "", {.error = "axis"}},
        {"CumSum-14", "float[N,3]; int64[]", "float[N,3]"},
        {"CumProd-26", "float; int32[1]", "float"},
    });

}  // namespace
}  // namespace cumulative_test_cc
}  // namespace norn::ops::cases
