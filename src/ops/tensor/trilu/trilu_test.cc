// Trilu, element by element: the column less the row is compared with k.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace trilu_test_cc {
namespace {

void triangle(Sample& s) {
  const auto& d = s.in(0).dims;
  auto& y = s.out(0, d);
  const double k = s.has(1) ? s.in(1).values[0] : 0;
  if (y.empty()) return;
  std::vector<std::int64_t> at(d.size());
  do {
    const auto distance = static_cast<double>(at[d.size() - 1] - at[d.size() - 2]);
    const bool stays = s.number("upper") != 0 ? distance >= k : distance <= k;
    y[position(at, d)] = stays ? Sample::element(0, position(at, d)) : -1;
  } while (next(at, d));
}

const Cases cases(
    "Trilu",
    {
        {"Trilu upper={0|1}", "T[2,3,4] odd; int64[] {-9|-3|-2|-1|0|1|3|4|7|max|min}", "", {.picks = triangle}},
        {"Trilu upper={0|1}", "{T[4,3] odd|T[1,1] odd|T[2,2,1,5] odd|T[5,1] odd}", "", {.picks = triangle}},
        {"Trilu upper={0|1}", "{T[3,0]|T[0,3]|T[0,2,2]}; int64[] {-1|6}", "", {.picks = triangle}},
        {"Trilu", "int32[3,3] 1 2 3 4 5 6 7 8 9; int64[1] 1", "int32[3,3] 0 2 3 0 0 6 0 0 0"},
        {"Trilu upper=0", "int32[2,3] 1 2 3 4 5 6; -", "int32[2,3] 1 0 0 4 5 0"},
        {"Trilu", "{float[3] iota|float[] 1}", "", {.error = "matrix"}},
        {"Trilu", "float[2,2] iota; int64[{0|2}] fill 1", "", {.error = "*"}},
        {"Trilu", "{float[3]|float[]}", "", {.error = "matrix"}},
        {"Trilu", "float[N,M,3]; int64[]", "float[N,M,3]"},
        {"Trilu", "float; int64", "float"},
    });

}  // namespace
}  // namespace trilu_test_cc
}  // namespace norn::ops::cases
