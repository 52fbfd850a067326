#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace softmax_test_cc {
namespace {

// Along the middle dimension of [a, n, b].
void softmax(Sample& s, std::int64_t a, std::int64_t n, std::int64_t b, bool logarithm) {
  const auto& x = s.in(0).values;
  auto& y = s.out(0, s.in(0).dims);
  for (std::int64_t i = 0; i < a; ++i)
    for (std::int64_t k = 0; k < b; ++k) {
      double sum = 0;
      for (std::int64_t j = 0; j < n; ++j) sum += std::exp(x[(i * n + j) * b + k]);
      for (std::int64_t j = 0; j < n; ++j) {
        const double e = std::exp(x[(i * n + j) * b + k]) / sum;
        y[(i * n + j) * b + k] = logarithm ? std::log(e) : e;
      }
    }
}

// Sizes before the axis, of the axis and behind it.
void along(Sample& s, std::int64_t axis, bool logarithm) {
  const auto& d = s.in(0).dims;
  if (axis < 0) axis += static_cast<std::int64_t>(d.size());
  softmax(s, count({d.begin(), d.begin() + axis}), d[axis], count({d.begin() + axis + 1, d.end()}), logarithm);
}
void one_axis(Sample& s) { along(s, static_cast<std::int64_t>(s.number("axis", -1)), false); }
void one_axis_logarithm(Sample& s) { along(s, static_cast<std::int64_t>(s.number("axis", -1)), true); }
// The versions before 13 see a matrix: what lies before the axis, and the rest.
void matrix(Sample& s) {
  const auto& d = s.in(0).dims;
  auto axis = static_cast<std::int64_t>(s.number("axis", 1));
  if (axis < 0) axis += static_cast<std::int64_t>(d.size());
  softmax(s, count({d.begin(), d.begin() + axis}), count({d.begin() + axis, d.end()}), 1, false);
}

// Along the middle dimension of [a, n, b]: one where all before are less and none behind is greater.
void hardmax(Sample& s, std::int64_t a, std::int64_t n, std::int64_t b) {
  const auto& x = s.in(0).values;
  auto& y = s.out(0, s.in(0).dims);
  for (std::int64_t i = 0; i < a; ++i)
    for (std::int64_t k = 0; k < b; ++k)
      for (std::int64_t j = 0; j < n; ++j) {
        const auto at = [&](std::int64_t m) { return x[(i * n + m) * b + k]; };
        bool first = true;
        for (std::int64_t m = 0; m < n; ++m) first = first && (m < j ? at(m) < at(j) : at(m) <= at(j));
        y[(i * n + j) * b + k] = first;
      }
}
void hardmax_one_axis(Sample& s) {
  const auto& d = s.in(0).dims;
  auto axis = static_cast<std::int64_t>(s.number("axis", -1));
  if (axis < 0) axis += static_cast<std::int64_t>(d.size());
  hardmax(s, count({d.begin(), d.begin() + axis}), d[axis], count({d.begin() + axis + 1, d.end()}));
}
void hardmax_matrix(Sample& s) {
  const auto& d = s.in(0).dims;
  auto axis = static_cast<std::int64_t>(s.number("axis", 1));
  if (axis < 0) axis += static_cast<std::int64_t>(d.size());
  hardmax(s, count({d.begin(), d.begin() + axis}), count({d.begin() + axis, d.end()}), 1);
}

const Cases cases(
    "Softmax",
    {
        {"Softmax-13", "T[2,3,4] random 5", "", {.formula = one_axis, .types = "!bfloat16", .down_to = 1}},
        {"Softmax-13", "bfloat16[2,3,4] random 5", "", {.formula = one_axis}},
        {"Softmax-13 axis={0|1|-2|2}",
         "T[2,3,4] random 5",
         "",
         {.formula = one_axis, .types = "!bfloat16", .down_to = 1}},
        {"Softmax-13 axis={0|1|-2|2}", "bfloat16[2,3,4] random 5", "", {.formula = one_axis, .down_to = 13}},
        {"LogSoftmax-13 axis={0|1|-1}", "T[2,3,4] random 5", "", {.formula = one_axis_logarithm}},
        {"Softmax-13", "float[{1|7|64|1000}] random", "", {.formula = one_axis}},
        {"Softmax-13", "T[1,2] 0 0", "T[1,2] 0.5 0.5"},
        {"Softmax-13", "float[3] 1e30 -1e30 1e30", "float[3] 0.5 0 0.5"},
        {"LogSoftmax-13", "float[2] 0 -inf", "float[2] 0 -inf"},
        {"Softmax-13", "float[2] nan 1", "float[2] nan nan"},
        {"Softmax-13", "float[2] -inf -inf", "float[2] nan nan"},
        {"{Softmax|LogSoftmax}-13", "float[2,0]", "float[2,0]"},

        {"Softmax-11 axis={0|1|2|3|-2|-1}", "double[2,3,4] random 6", "", {.formula = matrix}},
        {"Softmax-{1|11}", "T[2,3,4] random", "", {.formula = matrix}},

        {"Softmax-11 axis=1", "float[N,1000,1,1]", "", {.to = 13, .becomes = "Softmax-13"}},
        {"Softmax-11 axis=1", "float[N,1000]", "", {.to = 13, .becomes = "Softmax-13"}},
        {"Softmax-11 axis=-1", "float", "", {.to = 13, .becomes = "Softmax-13"}},
        {"Softmax-11 axis=1", "float[N,3,4]", "", {.to = 13, .becomes = "Flatten-13 Softmax-13 Reshape-13"}},
        {"Softmax-11 axis=1", "{float|float[N,3,H]}", "", {.to = 28, .becomes = "Softmax-11"}},
        {"Softmax-13 axis=1", "float[N,C,1,1]", "", {.to = 11, .becomes = "Softmax-11"}},
        {"Softmax-13 axis=1", "float[N,C,H]", "", {.to = 11, .becomes = "Transpose-1 Softmax-11 Transpose-1"}},
        {"Softmax-13 axis=1", "float", "", {.error = "*", .to = 11}},
        {"Softmax-13 axis=-1", "float", "", {.error = "*", .to = 1}},

        {"Softmax-13 axis=2", "float[2,3]", "", {.error = "axis"}},
        {"Softmax-11 axis=2", "float[2,3]", "float[2,3]"},
        {"Softmax-11 axis=3", "float[2,3]", "", {.error = "axis"}},
        {"Softmax-13 axis=2", "float[1,1] 1", "", {.error = "axis"}},
        {"Softmax-13", "float", "float"},
    });

const Cases hardmax_cases(
    "Hardmax",
    {
        {"Hardmax-13 axis={0|1|-2|2}", "T[2,3,4] uniform -2 2", "", {.formula = hardmax_one_axis}},
        {"Hardmax-13", "T[2,3,4] fill 5", "", {.formula = hardmax_one_axis}},
        {"Hardmax-11 axis={0|1|2|3|-2|-1}", "double[2,3,4] random 6", "", {.formula = hardmax_matrix}},
        {"Hardmax-{1|11}", "T[2,3,4] random", "", {.formula = hardmax_matrix}},
        {"Hardmax-13", "float[2,4] 3 3 1 2 -inf -inf -inf -inf", "float[2,4] 1 0 0 0 1 0 0 0"},
        {"Hardmax-13", "float[2,3] 1 nan inf nan nan 5", "float[2,3] 0 1 0 1 0 0"},
        {"Hardmax-13", "float[2,0]", "float[2,0]"},
        {"Hardmax-13", "float[0,3]", "float[0,3]"},
        {"Hardmax-13", "float[1] 7", "float[1] 1"},
        {"Hardmax-13 axis=2", "float[2,3] iota", "", {.error = "axis"}},
        {"Hardmax-13", "float[] 1", "", {.error = "axis"}},
        {"Hardmax-13 axis=1", "float[N,M]", "float[N,M]"},
        {"Hardmax-11 axis=1", "float[N,1000,1,1]", "", {.to = 13, .becomes = "Hardmax-13"}},
        {"Hardmax-11 axis=1", "float[N,3,4]", "", {.to = 13, .becomes = "Flatten-13 Hardmax-13 Reshape-13"}},
        {"Hardmax-11 axis=1", "float", "", {.to = 28, .becomes = "Hardmax-11"}},
        {"Hardmax-13 axis=1", "float[N,C,H]", "", {.to = 11, .becomes = "Transpose-1 Hardmax-11 Transpose-1"}},
    });

}  // namespace
}  // namespace softmax_test_cc
}  // namespace norn::ops::cases
