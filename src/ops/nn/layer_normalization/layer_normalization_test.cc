// Against moments about zero.
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace layer_normalization_test_cc {
namespace {

// Rows from `axis` on; scale and bias have the row's shape or one element.
void normalized(Sample& s, bool centred) {
  const Numbers& x = s.in(0);
  const auto rank = static_cast<std::int64_t>(x.dims.size());
  auto axis = static_cast<std::int64_t>(s.number("axis"));
  if (axis < 0) axis += rank;
  std::vector<std::int64_t> statistics = x.dims;
  std::int64_t n = 1;
  for (std::int64_t d = axis; d < rank; ++d) {
    n *= x.dims[d];
    statistics[d] = 1;
  }
  auto& y = s.out(0, x.dims);
  for (std::int64_t r = 0; r < static_cast<std::int64_t>(n == 0 ? 0 : x.values.size() / n); ++r) {
    long double first = 0, second = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      first += x.values[r * n + i];
      second += static_cast<long double>(x.values[r * n + i]) * x.values[r * n + i];
    }
    const long double mean = centred ? first / n : 0, variance = second / n - mean * mean;
    const long double inverse = 1 / std::sqrt(variance + static_cast<long double>(s.number("epsilon")));
    for (std::int64_t i = 0; i < n; ++i) {
      const Numbers& scale = s.in(1);
      double v = (x.values[r * n + i] - mean) * inverse * scale.values[scale.values.size() == 1 ? 0 : i];
      if (s.has(2)) v += s.in(2).values[i];
      y[r * n + i] = v;
    }
  }
}
void centred(Sample& s) { normalized(s, true); }
void about_zero(Sample& s) { normalized(s, false); }

const Cases layer_cases(
    "LayerNormalization",
    {
        {"LayerNormalization stash_type=16",
         "float[1,2] 1 3; float[2] 1 1",
         "float[1,2] -1 1; bfloat16[1,1] 2; bfloat16[1,1] 1",
         {.tolerance = 0.01, .fast = 0.01}},
        {"LayerNormalization epsilon={0.5|1e-2}",
         "T[{2,3,20|4,1|5,40|1,133}] random; T[1] random 2",
         "",
         {.formula = centred, .types = "float"}},
        {"LayerNormalization", "float[3,7] random; float[7] random 2; float[7] random 3", "", {.formula = centred}},
        {"LayerNormalization",
         "float[3,768] random; float[768] random 2; float[768] random 3",
         "",
         {.formula = centred}},
        {"LayerNormalization axis=1",
         "float[3,4,5] random; float[4,5] random 2; float[4,5] random 3",
         "",
         {.formula = centred}},
        {"LayerNormalization axis=-3", "float[3,4,5] random; float[3,4,5] random 2", "", {.formula = centred}},
        // Mean 2, variance 3.
        {"LayerNormalization epsilon=1",
         "T[1,4] -1 3 3 3; T[4] 2 2 2 2; T[4] 1 1 1 1",
         "T[1,4] -2 2 2 2; float[1,1] 2; float[1,1] 0.5",
         {.types = "float double"}},
        {"LayerNormalization epsilon=1", "T[1,4] -1 3 3 3; T[4] 2 2 2 2; T[4] 1 1 1 1", "T[1,4] -2 2 2 2"},
        // A scale that broadcasts within the rows.
        {"LayerNormalization epsilon=1 axis=1", "float[1,2,2] -1 3 3 3; float[2,1] 2 4", "float[1,2,2] -3 1 2 2"},
        {"LayerNormalization", "float[0,3]; float[3] random", "float[0,3]"},
        {"LayerNormalization", "float[3,0]; float[0]", "float[3,0]"},
        {"LayerNormalization", "float[1,2] 1 nan; float[2] 1 1", "float[1,2] nan nan"},
        {"LayerNormalization-17", "float[N,S,H]; float[H]; float[H]", "float[N,S,H]; float[N,S,1]; float[N,S,1]"},
        {"LayerNormalization-17 axis=1", "float16[N,S,H]; float16[H]", "float16[N,S,H]; float[N,1,1]; float[N,1,1]"},
        {"LayerNormalization-17 axis=3", "float[2,2] 1 2 3 4; float[2] 1 1", "", {.error = "axis"}},
        {"LayerNormalization-17", "float[2,2] 1 2 3 4; float[3] 1 1 1", "", {.error = "*"}},
    });

const Cases rms_cases(
    "RMSNormalization",
    {
        {"RMSNormalization epsilon={0.5|1e-2}",
         "float[{2,3,20|4,1|5,40|1,133}] random; float[1] random 2",
         "",
         {.formula = about_zero}},
        {"RMSNormalization axis={1|-2}", "float[3,4,5] random; float[4,5] random 2", "", {.formula = about_zero}},
        {"RMSNormalization epsilon=1", "T[1,4] 2 -2 2 0; float[4] 2 2 2 1", "float[1,4] 2 -2 2 0"},
        {"RMSNormalization", "float[0,3]; float[3] random", "float[0,3]"},
        {"RMSNormalization stash_type=7", "float; float[4]", "", {.error = "stash_type is 7"}},
        {"RMSNormalization", "float[3,0]; float[0]", "float[3,0]"},
        {"RMSNormalization-23", "float16[N,S,H]; float[H]", "float[N,S,H]"},
        {"RMSNormalization-23 axis=2", "float[2,2] 1 2 3 4; float[2] 1 1", "", {.error = "axis"}},
    });

}  // namespace
}  // namespace layer_normalization_test_cc
}  // namespace norn::ops::cases
