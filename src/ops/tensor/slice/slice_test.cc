// Slice against the rule written out element by element, for every start, end and step around a small size; and its
// symbolic sizes, which must hold for every value of their variable.
#include <algorithm>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace slice_test_cc {
namespace {

// The indices that start:end:step picks, walking.
void walk(Sample& s) {
  const std::int64_t size = s.in(0).dims[0], low_limit = INT64_MIN;
  const auto whole = [&](int input) {  // doubles hold all that is used here but the limits
    const double v = s.in(input).values[0];
    return v <= -9e18 ? low_limit : v >= 9e18 ? INT64_MAX : static_cast<std::int64_t>(v);
  };
  std::int64_t start = whole(1), end = whole(2);
  const std::int64_t step = whole(4);
  std::vector<double> picked;
  if (size > 0) {
    if (start < 0) start += size;
    if (end < 0) end += size;
    const std::int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
    start = std::min(std::max<std::int64_t>(start, 0), high);
    end = std::min(std::max(end, low), high);
    for (std::int64_t i = start; step > 0 ? i < end : i > end;) {
      picked.push_back(Sample::element(0, i));
      if (step > size || step < -size) break;
      i += step;
    }
  }
  s.out(0, {static_cast<std::int64_t>(picked.size())}) = picked;
}

// [3,4,5], reversed along the last axis.
void reversed(Sample& s) {
  auto& y = s.out(0, {3, 4, 5});
  std::vector<std::int64_t> i(3);
  do y[position(i, {3, 4, 5})] = Sample::element(0, position({i[0], i[1], 4 - i[2]}, {3, 4, 5}));
  while (next(i, {3, 4, 5}));
}

#define BOUND "{min|-2147483648|-7|-5|-4|-2|-1|0|1|3|5|6|2147483647|max}"  // a literal, to be part of others

const Cases cases(
    "Slice",
    {
        {"Slice-13",
         "int64[{0|1|2|5|6}] iota; int64[1] " BOUND "; int64[1] " BOUND "; int64[1] 0; int64[1] {min|-3|-1|1|2|max}",
         "",
         {.picks = walk}},
        {"Slice-11..",
         "T[9] odd; Tind[1] {-4|0|3}; Tind[1] {-2|7|100}; Tind[1] {0|-1}; Tind[1] {1|2|-1}",
         "",
         {.picks = walk}},

        {"Slice-10..", "float[N]; int64[1] 0; int64[1] max; int64[1] 0; int64[1] 1", "float[N]"},
        {"Slice-13", "float[N]; int64[1] 0; int64[1] max; int64[1] 0; int64[1] 2", "float[floor((N+1)/2)]"},
        {"Slice-13", "float[N]; int64[1] -1; int64[1] min; int64[1] 0; int64[1] -1", "float[N]"},
        {"Slice-13", "float[N]; int64[1] 0; int64[1] 1; int64[1] 0; int64[1] 1", "float[min(1,N)]"},
        {"Slice-13", "float[P]; int64[1] 0; int64[1] P; int64[1] 0", "float[P]"},
        {"Slice-13", "float[P+S]; int64[1] P; int64[1] P+S; int64[1] 0", "float[S]"},
        {"Slice-13", "float[P+S]; int64[1] P; int64[1] max; int64[1] 0", "float[S]"},
        {"Slice-13", "float[P+S]; int64[1] 0; int64[1] P; int64[1] 0", "float[P]"},
        // With a bound of unknown sign the size is unknown.
        {"Slice-13", "float[P+S]; int64[1] P-3; int64[1] max; int64[1] 0", "float[?]"},

        {"Slice-13",
         "T[3,4,5] odd; int64[2] -1 0; int64[2] min 3; int64[2] 2 0; int64[2] -1 1",
         "",
         {.picks = reversed}},
        {"Slice-13", "int32[2,4] iota; int64[2] 0 1; int64[2] -1 1000", "int32[1,3] 1 2 3"},
        {"Slice-13", "int32[2,4] iota; int32[1] 1; int32[1] 2147483647; int32[1] -1; int32[1] 2", "int32[2,2] 1 3 5 7"},
        {"Slice-13", "float[] 1; int64[0]; int64[0]", "float[] 1"},

        {"Slice-13", "float[N,M,7]; int64[1]; int64[1]; int64[1] 1", "float[N,?,7]"},
        {"Slice-13", "float[N,M,7]; int64[1]; int64[1]", "float[?,M,7]"},
        {"Slice-13", "float[N,M,7]; int64; int64; int64", "float[?,?,?]"},
        {"Slice-13", "float; int64[1] 0; int64[1] 1", "float"},

        {"Slice-13", "float[4,4] iota; int64[1] 0; int64[1] 1; int64[1] 2", "", {.error = "*"}},
        {"Slice-13", "float[4,4] iota; int64[2] 0 0; int64[2] 1 1; int64[2] 0 -2", "", {.error = "*"}},
        {"Slice-13", "float[4,4] iota; int64[1] 0; int64[2] 1 2", "", {.error = "*"}},
        {"Slice-13", "float[4,4] iota; int64[1] 0; int64[1] 1; int64[1] 0; int64[1] 0", "", {.error = "*"}},
        {"Slice-13", "float[4,4] iota; int64[3] 0 0 0; int64[3] 1 1 1", "", {.error = "*"}},
        {"Slice-13", "float[N]; int64[1] 0; int64[1] 1; int64[1] 1", "", {.error = "*"}},
        {"Slice-13", "float[N]; int64[1] 0; int64[1] 1; int64[1] 0; int64[1] 0", "", {.error = "*"}},
        {"Slice-13", "float[N]; int64[2] 0 0; int64[2] 1 1", "", {.error = "*"}},
        {"Slice-10", "float[1,3] 1 2 3; int64[1] 0; int64[1] 2; int64[1] -1", "float[1,2] 1 2"},

        {"Slice-1 starts=1 ends=-1 axes=1", "float[3,4] iota", "float[3,2] 1 2 5 6 9 10"},
        {"Slice-1 starts=1 ends=-1 axes=1", "float[A,4]", "float[A,2]"},
        {"Slice-13",
         "float[3,4] iota; int64[1] 1; int64[1] -1; int64[1] -1; int64[1] 1",
         "float[3,2] 1 2 5 6 9 10",
         {.down_to = 1}},
        {"Slice-13",
         "float[3,4] iota; int64[1] 1; int64[1] -1; int64[1] -1; int64[1] 1",
         "float[3,2] 1 2 5 6 9 10",
         {.to = 9, .becomes = "Slice-1"}},
        {"Slice-13", "float[3,4]; int64[1]; int64[1] 2", "", {.error = "*", .to = 9}},
        {"Slice-13", "float[3,4]; int64[1] 1; int64[1] 2; int64[1] 0; int64[1] 2", "", {.error = "*", .to = 9}},
    });

}  // namespace
}  // namespace slice_test_cc
}  // namespace norn::ops::cases
