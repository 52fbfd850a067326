// Flatten against the products of the dimensions on both sides of the axis.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace flatten_test_cc {
namespace {

void flatten(Sample& s) {
  const auto& d = s.in(0).dims;
  auto axis = static_cast<std::int64_t>(s.number("axis", 1));
  if (axis < 0) axis += static_cast<std::int64_t>(d.size());
  auto& y = s.out(0, {count({d.begin(), d.begin() + axis}), count({d.begin() + axis, d.end()})});
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = Sample::element(0, static_cast<std::int64_t>(i));
}

const Cases cases("Flatten", {
                                 {"Flatten-11.. axis={-3|-2|-1|0|1|2|3}", "T[2,3,4] odd", "", {.picks = flatten}},
                                 {"Flatten axis={0|1|2|3}", "float[2,3,4] odd", "", {.picks = flatten}},
                                 {"Flatten", "T[2,3,4] odd", "", {.picks = flatten}},
                                 {"Flatten axis=0", "float[] 5", "float[1,1] 5"},
                                 {"Flatten", "float[0,3,2]", "float[0,6]"},
                                 {"Flatten-25 axis=4", "float[2,3,4] iota", "", {.error = "*"}},
                                 {"Flatten-21", "float[N,C,H,W]", "float[N,C*H*W]"},
                                 {"Flatten-21 axis=-1", "float[N,512,7]", "float[512*N,7]"},
                                 {"Flatten-21", "float", "float[?,?]"},
                                 {"Flatten-9 axis=-1", "float[N,2]", "", {.error = "*"}},
                                 {"Flatten-13 axis=-1", "float[2,3,4]", "", {.to = 9, .becomes = "Flatten-9 axis=2"}},
                                 {"Flatten-13 axis=-1", "?", "", {.error = "*", .to = 9}},
                             });

}  // namespace
}  // namespace flatten_test_cc
}  // namespace norn::ops::cases
