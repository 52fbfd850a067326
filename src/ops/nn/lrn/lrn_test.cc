#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace lrn_test_cc {
namespace {

// Of one place: sums of neighbouring channels.
void lrn(Sample& s) {
  const auto& x = s.in(0).values;
  const auto size = static_cast<std::int64_t>(s.number("size")), n = static_cast<std::int64_t>(x.size());
  auto& y = s.out(0, s.in(0).dims);
  for (std::int64_t c = 0; c < n; ++c) {
    double squares = 0;
    for (std::int64_t k = 0; k < n; ++k)
      if (k >= c - (size - 1) / 2 && k <= c + size / 2) squares += x[k] * x[k];
    y[c] = x[c] / std::sqrt(2 + 0.5 / static_cast<double>(size) * squares);
  }
}

const Cases cases("LRN",
                  {
                      {"LRN size={1|2|3|100} alpha=0.5 beta=0.5 bias=2", "T[1,4,1] 1 2 3 4", "", {.formula = lrn}},
                      {"LRN size={1|5} alpha=0.5 beta=0.5 bias=2", "float[1,19,1] random", "", {.formula = lrn}},
                      {"LRN size=3", "float[0,2,2]", "float[0,2,2]"},
                      {"LRN-13 size=0", "float[1,2,3]", "", {.error = "*"}},
                      {"LRN-13 size=1", "float[1]", "", {.error = "*"}},
                  });

}  // namespace
}  // namespace lrn_test_cc
}  // namespace norn::ops::cases
