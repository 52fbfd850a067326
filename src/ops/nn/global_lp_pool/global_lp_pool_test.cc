#include <algorithm>
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace global_lp_pool_test_cc {
namespace {

// In the domain of logarithms.
void norm(Sample& s) {
  const auto& dims = s.in(0).dims;
  auto out = dims;
  for (std::size_t d = 2; d < out.size(); ++d) out[d] = 1;
  auto& y = s.out(0, out);
  const std::size_t n = s.in(0).values.size() / y.size();
  for (std::size_t p = 0; p < y.size(); ++p) {
    long double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const long double v = std::abs(static_cast<long double>(s.in(0).values[p * n + i]));
      if (v != 0) sum += std::exp(std::log(v) * static_cast<long double>(s.number("p")));
    }
    y[p] = sum == 0 ? 0 : std::exp(std::log(sum) / s.number("p"));
  }
}

const Cases cases(
    "GlobalLpPool",
    {
        {"GlobalLpPool", "T[1,2,2,1] 3 -4 0 0", "T[1,2,1,1] 5 0"},
        {"GlobalLpPool p=1", "T[1,2,2,1] 3 -4 0 -1", "T[1,2,1,1] 7 1"},
        {"GlobalLpPool-1 p={0.5|1.5|2.0|3.5}", "float[2,3,4] random", "", {.formula = norm, .tolerance = 1e-6}},
        {"GlobalLpPool-2.. p={1|2|3|7}", "double[2,3,4,2] random", "", {.formula = norm, .tolerance = 1e-12}},
        // However large p is, the largest element is what is left.
        {"GlobalLpPool-22 p={1000|9223372036854775807}", "float[1,1,3] 0.5 -7e30 1", "float[1,1,1] 7e30"},
        {"GlobalLpPool-22", "double[1,1,2] 3e200 4e200", "double[1,1,1] 5e200"},
        {"GlobalLpPool-22", "float[2,1] -4 5", "float[2,1] 4 5"},
        {"GlobalLpPool-22", "float[1,1,0]", "float[1,1,1] 0"},
        {"GlobalLpPool-22", "float[0,3,2,2]", "float[0,3,1,1]"},
        {"GlobalLpPool-22", "float[1,2,2] 1 nan -inf 2", "float[1,2,1] nan inf"},
        {"GlobalLpPool-22", "float[2] 4 5", "", {.error = "channel"}},
        {"GlobalLpPool-22 p={0|-1}", "float[1,1,1] 4", "", {.error = "positive"}},
        {"GlobalLpPool-1 p=nan", "float[1,1,1] 4", "", {.error = "positive"}},
        {"GlobalLpPool-22", "float[N,C,H,W]", "float[N,C,1,1]"},
        {"GlobalLpPool-22", "float", "float"},
        {"GlobalLpPool-22 p=3", "float[1,1,2] 1 0", "float[1,1,1] 1", {.down_to = 1}},
        {"GlobalLpPool-22 p=16777217", "float[1,1,2] 1 0", "float[1,1,1] 1", {.down_to = 2}},
    });

}  // namespace
}  // namespace global_lp_pool_test_cc
}  // namespace norn::ops::cases
