#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace expand_test_cc {
namespace {

// [3,1] to [2,3,4].
void stretch(Sample& s) {
  auto& y = s.out(0, {2, 3, 4});
  for (std::int64_t i = 0; i < 24; ++i) y[i] = Sample::element(0, i / 4 % 3);
}

const Cases cases("Expand", {
                                {"Expand", "T[3,1] odd; int64[3] 2 1 4", "", {.picks = stretch}},
                                {"Expand", "float[3,1] 1 2 3; int64[2] 1 2", "float[3,2] 1 1 2 2 3 3"},
                                {"Expand", "float[3,1] 1 2 3; int64[0]", "float[3,1] 1 2 3"},
                                {"Expand", "float[3,1] 1 2 3; int64[2] 3 0", "float[3,0]"},
                                {"Expand-13", "float[3,1] 1 2 3; int64[2] 2 2", "", {.error = "*"}},
                                {"Expand-13", "float[N,1]; int64[3]", "float[?,?,?]"},
                                {"Expand-8", "float[1,2,N]; int64[3]", "float[?,2,?]"},
                                {"Expand-8", "float[2,3]; int64[1]", "float[2,3]"},
                                {"Expand-8", "float[2]; int64[1000000]", "float"},
                            });

}  // namespace
}  // namespace expand_test_cc
}  // namespace norn::ops::cases
