// Squeeze and Unsqueeze move no element; symbolic sizes that are squeezed become 1.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace squeeze_test_cc {
namespace {

void same_order(Sample& s, const std::vector<std::int64_t>& dims) {
  auto& y = s.out(0, dims);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = Sample::element(0, static_cast<std::int64_t>(i));
}

const Cases cases(
    "Squeeze",
    {
        {"Unsqueeze-13..",
         "T[2,3] odd; int64[2] -1 0",
         "T[1,2,3,1]",
         {.picks = [](Sample& s) { same_order(s, {1, 2, 3, 1}); }}},
        {"Squeeze-13..",
         "T[1,2,3,1] odd; int64[2] 0 -1",
         "T[2,3]",
         {.picks = [](Sample& s) { same_order(s, {2, 3}); }}},
        {"Squeeze", "float[1,2,1,1] 0 1", "float[2] 0 1"},
        {"Squeeze-13", "float[1,2,1,1] 0 1; int64[0]", "float[1,2,1,1] 0 1"},
        {"Squeeze-13", "float[1,2,1,1] 0 1; int64[1] 2", "float[1,2,1] 0 1"},
        {"Unsqueeze-13", "float[] 1; int64[1] 0", "float[1] 1"},
        {"Unsqueeze-13", "float[0]; int64[1] 1", "float[0,1]"},
        {"Squeeze-13", "float[1,2] 0 1; {int64[1] 1|int64[1] 2|int64[2] 0 -2}", "", {.error = "*"}},
        {"Unsqueeze-13", "float[1,2] 0 1; {int64[2] 0 0|int64[1] 3}", "", {.error = "*"}},
        {"Squeeze-13", "float[1,2]; int64[1] 1", "", {.error = "*"}},
        {"Unsqueeze-13", "float[1,2]; int64[2] 1 -3", "", {.error = "*"}},
        {"Squeeze-9 axes=-1", "float[1]", "", {.error = "*"}},

        {"Squeeze-13", "float[N,M]; int64[1] 0", "float[M]"},
        {"Squeeze-13", "float[1,K]", "float"},
        {"Squeeze-13", "float[1,3]", "float[3]"},
        {"Squeeze-13", "float[A,B,C]; int64[2]", "float[?]"},
        {"Unsqueeze-13", "float[A]; int64[2]", "float[?,?,?]"},
        {"Unsqueeze-13", "float[A,B]; int64[2] 1 -1", "float[A,1,B,1]"},
        {"Unsqueeze-13", "float; int64[1] 0", "float"},
        {"Squeeze-13", "int64[1] A; int64[1] 0", "int64[] A"},

        {"Squeeze-{1|11}", "float[1,3,1] 0 1 2", "float[3] 0 1 2"},
        {"Squeeze-11 axes=-1", "float[1,3,1] 0 1 2", "float[1,3] 0 1 2"},
        {"Unsqueeze-11 axes=-1", "float[1,3,1] 0 1 2", "float[1,3,1,1] 0 1 2"},
        {"Squeeze-13", "float[1,3,1] 0 1 2; int64[1] -1", "float[1,3] 0 1 2", {.to = 9, .becomes = "Squeeze-1 axes=2"}},
        {"Unsqueeze-13",
         "float[1,3,1] 0 1 2; int64[1] -1",
         "float[1,3,1,1] 0 1 2",
         {.to = 9, .becomes = "Unsqueeze-1 axes=3"}},
        {"Squeeze-13", "float[1,3,1]", "", {.to = 9, .becomes = "Squeeze-1"}},
        {"Squeeze-13", "float[1,3,1]; int64[1]", "", {.error = "*", .to = 11}},
        {"Squeeze-13", "?; int64[1] -1", "", {.error = "*", .to = 9}},
    });

}  // namespace
}  // namespace squeeze_test_cc
}  // namespace norn::ops::cases
