// Det against the sum over permutations.
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace det_test_cc {
namespace {

double expand(const std::vector<double>& a, std::int64_t n, std::int64_t row, std::vector<bool>& used) {
  if (row == n) return 1;
  double sum = 0, sign = 1;
  for (std::int64_t c = 0; c < n; ++c) {
    if (used[c]) continue;
    used[c] = true;
    sum += sign * a[row * n + c] * expand(a, n, row + 1, used);
    used[c] = false;
    sign = -sign;
  }
  return sum;
}

void laplace(Sample& s) {
  const auto& x = s.in(0).dims;
  const std::int64_t n = x.back();
  auto& y = s.out(0, {x.begin(), x.end() - 2});
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto first = s.in(0).values.begin() + static_cast<std::ptrdiff_t>(i) * n * n;
    std::vector<bool> used(static_cast<std::size_t>(n));
    y[i] = expand({first, first + n * n}, n, 0, used);
  }
}

// Rotations of two rows at a time, whose determinant is 1, make a matrix a triangle.
void rotate(Sample& s) {
  const auto& x = s.in(0).dims;
  const auto n = static_cast<std::size_t>(x.back());
  auto& y = s.out(0, {x.begin(), x.end() - 2});
  for (std::size_t i = 0; i < y.size(); ++i) {
    std::vector<double> a(s.in(0).values.begin() + static_cast<std::ptrdiff_t>(i * n * n),
                          s.in(0).values.begin() + static_cast<std::ptrdiff_t>((i + 1) * n * n));
    y[i] = 1;
    for (std::size_t c = 0; c < n; ++c) {
      for (std::size_t r = c + 1; r < n; ++r) {
        const double length = std::hypot(a[c * n + c], a[r * n + c]);
        if (length == 0) continue;
        const double cosine = a[c * n + c] / length, sine = a[r * n + c] / length;
        for (std::size_t k = 0; k < n; ++k) {
          const double above = a[c * n + k], below = a[r * n + k];
          a[c * n + k] = cosine * above + sine * below;
          a[r * n + k] = cosine * below - sine * above;
        }
      }
      y[i] *= a[c * n + c];
    }
  }
}

const Cases cases("Det",
                  {
                      {"Det", "T[2,3,{1,1|2,2|3,3|5,5}] random", "", {.formula = laplace, .tolerance = 1e-2}},
                      {"Det", "{float|double}[4,4] random", "", {.formula = laplace, .tolerance = 1e-5}},
                      {"Det", "double[2,{17,17|40,40}] random", "", {.formula = rotate, .tolerance = 1e-9}},
                      {"Det", "T[2,2] 0 2 3 4", "T[] -6"},
                      {"Det", "T[3,3] 0 1 0 0 0 1 1 0 0", "T[] 1"},
                      {"Det", "T[2,2] 1 2 2 4", "T[] 0"},
                      {"Det", "T[3,0,0]", "T[3] 1 1 1"},
                      {"Det", "float[0,2,2]", "float[0]"},
                      {"Det", "float[2,2] 0 1 0 nan", "float[] nan"},
                      {"Det", "float[2,2] 0 0 0 nan", "float[] nan"},
                      {"Det", "float[1,1] -inf", "float[] -inf"},
                      {"Det", "double[3,3] 1e200 0 0 0 1e200 0 0 0 1e-300", "double[] 1e100", {.tolerance = 1e-12}},
                      {"Det", "double[2,2] 1e200 0 0 1e200", "double[] inf"},
                      {"Det", "float[2,3] iota", "", {.error = "*"}},
                      {"Det", "float[2] iota", "", {.error = "matri"}},
                      {"Det", "float[] 1", "", {.error = "matri"}},
                      {"Det", "float[N,M,M]", "float[N]"},
                      {"Det", "float[N,3,M]", "float[N]"},
                      {"Det", "float", "float"},
                      {"Det-22", "float[1,1] 3", "float[] 3", {.down_to = 11}},
                  });

}  // namespace
}  // namespace det_test_cc
}  // namespace norn::ops::cases
