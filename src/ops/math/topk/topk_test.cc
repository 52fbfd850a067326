// TopK against its definition: an element's place is the number of those that come before it.
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace topk_test_cc {
namespace {

void topk(Sample& s) {
  const auto& x = s.in(0).dims;
  const std::size_t rank = x.size();
  const auto axis = static_cast<std::size_t>(s.number("axis", -1) < 0 ? s.number("axis", -1) + static_cast<double>(rank)
                                                                      : s.number("axis", -1));
  const bool largest = s.number("largest", 1) != 0;
  auto dims = x;
  dims[axis] = static_cast<std::int64_t>(s.has(1) ? s.in(1).values[0] : s.number("k"));
  auto& v = s.out(0, dims);
  auto& i = s.out(1, dims);
  std::vector<std::int64_t> at(rank);
  do {
    const double a = s.in(0).values[position(at, x)];
    auto other = at;
    std::int64_t place = 0;
    for (other[axis] = 0; other[axis] < x[axis]; ++other[axis]) {
      const double b = s.in(0).values[position(other, x)];
      const bool same = a == b || (std::isnan(a) && std::isnan(b));
      const bool greater = std::isnan(b) ? !std::isnan(a) : b > a;
      place += same ? other[axis] < at[axis] : greater == largest;
    }
    if (place >= dims[axis]) continue;
    other = at;
    other[axis] = place;
    v[position(other, dims)] = a;
    i[position(other, dims)] = static_cast<double>(at[axis]);
  } while (next(at, x));
}

const Cases cases(
    "TopK", {
                {"TopK-10.. axis={-3|-2|-1|0|1|2}", "T[3,4,3] random; int64[1] {1|2|3}", "T; int64", {.formula = topk}},
                {"TopK-11.. axis=1 largest={0|1} sorted={0|1}",
                 "T[2,9] odd; int64[1] {0|1|5|9}",
                 "T; int64",
                 {.formula = topk}},
                {"TopK-1 k={1|3} axis={0|-1}", "T[3,4] odd", "T; int64", {.formula = topk}},
                // The lower of equal positions comes first, from either end; NaN is the greatest; zeros are equal.
                {"TopK-11..", "float[6] 1 3 nan 3 nan 0; int64[1] 5", "float[5] nan nan 3 3 1; int64[5] 2 4 1 3 0"},
                {"TopK-11.. largest=0",
                 "float[6] 1 0 nan -0 nan inf; int64[1] 6",
                 "float[6] 0 -0 1 inf nan nan; int64[6] 1 3 0 5 2 4",
                 {.tolerance = 0}},
                {"TopK-11..", "uint64[3] 9223372036854775809 max 9223372036854775808; int64[1] 2",
                 "uint64[2] max 9223372036854775809; int64[2] 1 0"},
                {"TopK-11.. largest=0", "int64[3] max min -1; int64[1] 2", "int64[2] min -1; int64[2] 1 2"},
                {"TopK-11.. axis=1", "float[2,0,3]; int64[1] 0", "float[2,0,3]; int64[2,0,3]"},
                {"TopK-11.. axis=0", "float[2,0,3]; int64[1] 1", "float[1,0,3]; int64[1,0,3]"},

                {"TopK-10..", "float[3] 1 2 3; int64[1] {4|max}", "", {.error = "k is"}},
                {"TopK-10..", "float[3] 1 2 3; int64[1] {-1|min}", "", {.error = "k is"}},
                {"TopK-10..", "float[3] 1 2 3; int64[2] 1 1", "", {.error = "*"}},
                {"TopK-10..", "float[3] 1 2 3; int64[0]", "", {.error = "*"}},
                {"TopK-10..", "float[] 1; int64[1] 1", "", {.error = "axis"}},
                {"TopK-10.. axis={1|-2|min}", "float[3] 1 2 3; int64[1] 1", "", {.error = "axis"}},
                {"TopK-1 k={-1|4}", "float[3] 1 2 3", "", {.error = "k is"}},

                {"TopK-11 axis=1", "float[N,100]; int64[1] 5", "float[N,5]; int64[N,5]"},
                {"TopK-11", "float[N,M]; int64[1] K", "float[N,K]; int64[N,K]"},
                {"TopK-11 axis=0", "float[N,M]; int64[1]", "float[?,M]; int64[?,M]"},
                {"TopK-11", "float; int64[1] 5", "float; int64"},

                {"TopK-24 sorted=0", "float[3] 1 3 2; int64[1] 2", "float[2] 3 2; int64[2] 1 2", {.down_to = 1}},
                {"TopK-24 largest=0", "float[3] 1 3 2; int64[1] 2", "float[2] 1 2; int64[2] 0 2", {.down_to = 11}},
                {"TopK-24", "int32[3] 1 3 2; int64[1] 2", "int32[2] 3 2; int64[2] 1 2", {.down_to = 11}},
                {"TopK-24", "bfloat16[3] 1 3 2; int64[1] 2", "bfloat16[2] 3 2; int64[2] 1 2", {.down_to = 24}},
            });

}  // namespace
}  // namespace topk_test_cc
}  // namespace norn::ops::cases
