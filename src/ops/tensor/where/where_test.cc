#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace where_test_cc {
namespace {

// A condition of [2,1,1], then [3,1] and [4].
void where(Sample& s) {
  auto& y = s.out(0, {2, 3, 4});
  for (std::int64_t i = 0; i < 24; ++i)
    y[i] = s.in(0).values[i / 12] != 0 ? Sample::element(1, i / 4 % 3) : Sample::element(2, i % 4);
}

const Cases cases("Where",
                  {
                      {"Where", "bool[2,1,1] {1 0|0 1|1 1}; T[3,1] odd; T[4] odd", "T[2,3,4]", {.picks = where}},
                      {"Where", "bool[2]; int64[2] N 2; int64[2] N 3", "int64[2] N ?"},
                      {"Where", "bool[2]; int64[2] N 2; int64[2] M 3", "int64[2] unknown"},
                      {"Where", "bool[2] 1 0; string[] a; string[2] b c", "string[2] a c"},
                  });

}  // namespace
}  // namespace where_test_cc
}  // namespace norn::ops::cases
