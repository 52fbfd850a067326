#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace lp_normalization_test_cc {
namespace {

// Of three dimensions: every element of its line is visited for each one.
void normalized(Sample& s) {
  const auto& dims = s.in(0).dims;
  const auto axis = static_cast<std::size_t>(s.number("axis") < 0 ? s.number("axis") + 3 : s.number("axis"));
  auto& y = s.out(0, dims);
  std::vector<std::int64_t> at(3);
  do {
    auto other = at;
    long double sum = 0;
    for (other[axis] = 0; other[axis] < dims[axis]; ++other[axis]) {
      const long double v = s.in(0).values[position(other, dims)];
      sum += s.number("p") == 1 ? std::abs(v) : v * v;
    }
    const double norm = s.number("p") == 1 ? sum : std::sqrt(sum);
    y[position(at, dims)] = s.in(0).values[position(at, dims)] / norm;
  } while (next(at, dims));
}

const Cases cases(
    "LpNormalization",
    {
        {"LpNormalization", "T[2,2] 3 -4 0.5 0", "T[2,2] 0.6 -0.8 1 0"},
        {"LpNormalization p=1 axis=0", "T[2,2] 3 -4 -1 0", "T[2,2] 0.75 -1 -0.25 0"},
        {"LpNormalization axis={-3|-1|0|1} p={1|2}", "{float|double}[3,4,5] random", "", {.formula = normalized}},
        // A norm of zero gives zeros.
        {"LpNormalization p={1|2}", "T[2,2] 0 -0 2 0", "T[2,2] 0 0 1 0"},
        {"LpNormalization", "double[3] 1 nan 2", "double[3] nan nan nan"},
        {"LpNormalization", "double[3] 1 -inf 2", "double[3] 0 nan 0"},
        // Squares leave the type, the norm does not.
        {"LpNormalization", "double[2] 3e200 -4e200", "double[2] 0.6 -0.8"},
        {"LpNormalization", "double[2] 3e-200 4e-200", "double[2] 0.6 0.8"},
        {"LpNormalization", "float[2] 3e-45 0", "float[2] 1 0"},
        {"LpNormalization axis=0", "float[0,3]", "float[0,3]"},
        {"LpNormalization axis=1", "float[0,3]", "float[0,3]"},
        {"LpNormalization-22", "float[N,M]", "float[N,M]"},
        {"LpNormalization-22", "float", "float"},
        {"LpNormalization-22 axis=2", "float[N,M]", "", {.error = "axis"}},
        {"LpNormalization-22", "float[] 1", "", {.error = "axis"}},
        {"LpNormalization-22 p={0|3|-1}", "float[2] 1 2", "", {.error = "1 or 2"}},
    });

}  // namespace
}  // namespace lp_normalization_test_cc
}  // namespace norn::ops::cases
