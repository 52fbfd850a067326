// Against moments about zero: the variance is the mean of squares minus the square of the mean.
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace instance_normalization_test_cc {
namespace {

void normalized(Sample& s) {
  const auto& dims = s.in(0).dims;
  const auto& x = s.in(0).values;
  auto& y = s.out(0, dims);
  const std::int64_t channels = dims[1], planes = dims[0] * channels;
  if (x.empty()) return;
  const auto n = static_cast<std::int64_t>(x.size()) / planes;
  for (std::int64_t p = 0; p < planes; ++p) {
    long double first = 0, second = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      first += x[p * n + i];
      second += static_cast<long double>(x[p * n + i]) * x[p * n + i];
    }
    const long double mean = first / n, variance = second / n - mean * mean;
    const double factor = s.in(1).values[p % channels] / std::sqrt(variance + s.number("epsilon"));
    for (std::int64_t i = 0; i < n; ++i) y[p * n + i] = (x[p * n + i] - mean) * factor + s.in(2).values[p % channels];
  }
}

const Cases cases(
    "InstanceNormalization",
    {
        {"InstanceNormalization", "T[1,2,2] 1 3 -5 5; T[2] 1 2; T[2] 0 10", "", {.formula = normalized}},
        {"InstanceNormalization epsilon={0.5|1e-2}",
         "T[2,3,4,5] random; T[3] random 2; T[3] random 3",
         "",
         {.formula = normalized, .types = "float double"}},
        // Mean 2, variance 3.
        {"InstanceNormalization epsilon=1", "T[1,1,4] -1 3 3 3; T[1] 2; T[1] 1", "T[1,1,4] -2 2 2 2"},
        // One element is its own mean.
        {"InstanceNormalization epsilon={0.25|1}", "T[2,2,1] 5 -7 100 0; T[2] 3 4; T[2] 1 2", "T[2,2,1] 1 2 1 2"},
        {"InstanceNormalization", "T[2,2] 5 -7 100 0; T[2] 3 4; T[2] 1 2", "T[2,2] 1 2 1 2"},
        {"InstanceNormalization", "float[0,3,2]; float[3] random; float[3] random", "float[0,3,2]"},
        {"InstanceNormalization", "float[2,3,0]; float[3] random; float[3] random", "float[2,3,0]"},
        {"InstanceNormalization", "float[2,0,3]; float[0]; float[0]", "float[2,0,3]"},
        {"InstanceNormalization", "double[1,1,2] 1 nan; double[1] 1; double[1] 1", "double[1,1,2] nan nan"},
        {"InstanceNormalization-22", "float[N,C,H,W]; float[C]; float[C]", "float[N,C,H,W]"},
        {"InstanceNormalization-22", "float; float[C]; float[C]", "float"},
        {"InstanceNormalization-22", "float[1,3,4]; float[2]; float[3]", "", {.error = "scale"}},
        {"InstanceNormalization-22", "float[1,3,4]; float[3]; float[2]", "", {.error = "*"}},
        {"InstanceNormalization-22", "float[1,3,4]; float[3,1]; float[3]", "", {.error = "*"}},
        {"InstanceNormalization-22", "float[3] 1 2 3; float[3] 1 2 3; float[3] 1 2 3", "", {.error = "channel"}},
        {"InstanceNormalization-1 consumed_inputs=0", "float[1,1,2] 1 1; float[1] 3; float[1] 4", "float[1,1,2] 4 4"},
    });

}  // namespace
}  // namespace instance_normalization_test_cc
}  // namespace norn::ops::cases
