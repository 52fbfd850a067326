// Gather against index arithmetic written out.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace gather_test_cc {
namespace {

void gather(Sample& s) {
  const auto &d = s.in(0).dims, &picked = s.in(1).dims;
  auto axis = static_cast<std::size_t>(s.number("axis") < 0 ? s.number("axis") + static_cast<double>(d.size())
                                                            : s.number("axis"));
  std::vector<std::int64_t> dims(d.begin(), d.begin() + static_cast<std::ptrdiff_t>(axis));
  dims.insert(dims.end(), picked.begin(), picked.end());
  dims.insert(dims.end(), d.begin() + static_cast<std::ptrdiff_t>(axis) + 1, d.end());
  auto& y = s.out(0, dims);
  if (y.empty()) return;
  std::vector<std::int64_t> at(dims.size());
  do {
    const auto first = at.begin() + static_cast<std::ptrdiff_t>(axis);
    const auto behind = first + static_cast<std::ptrdiff_t>(picked.size());
    const double index = s.in(1).values[position({first, behind}, picked)];
    std::vector<std::int64_t> from(at.begin(), first);
    from.push_back(static_cast<std::int64_t>(index < 0 ? index + static_cast<double>(d[axis]) : index));
    from.insert(from.end(), behind, at.end());
    y[position(at, dims)] = Sample::element(0, position(from, d));
  } while (next(at, dims));
}

const Cases cases(
    "Gather",
    {
        {"Gather-11.. axis={-3|-2|-1|0|1|2}", "int32[2,3,4] iota; Tind[2,2] 0 -1 1 -2", "", {.picks = gather}},
        {"Gather-11..", "T[4,3] odd; int64[4] 3 2 -1 0", "", {.picks = gather}},
        {"Gather", "T[4,3] odd; int64[3] 3 0 1", "", {.picks = gather}},
        {"Gather-13", "float[4,3] iota; int64[] 2", "float[3] 6 7 8"},
        {"Gather-13", "float[4,3] iota; int64[0,2]", "float[0,2,3]"},
        {"Gather-13", "float[4,0]; int64[1] 3", "float[1,0]"},
        {"Gather-13", "float[3] iota; int64[1] {3|-4|max|min}", "", {.error = "*"}},
        {"Gather-13", "float[0]; int64[1] 0", "", {.error = "*"}},
        {"Gather-13", "float[] 1; int64[1] 0", "", {.error = "*"}},
        {"Gather-13 axis=1", "float[3] iota; int64[1] 0", "", {.error = "*"}},

        {"Gather-13", "int64[3] N 3 2*N; int64[2] -1 0", "int64[2] 2*N N"},
        {"Gather-13", "int64[3] N 3 2*N; int64[] 1", "int64[] 3"},
        {"Gather-13", "int64[3] N 3 2*N; int64[] 3", "", {.error = "*"}},
        {"Gather-13", "float[V,64]; int64[B,S]", "float[B,S,64]"},
        {"Gather-13 axis=-1", "float[A,B,C]; int32[]", "float[A,B]"},
        {"Gather-13", "float[A]; int64", "float"},
        {"Gather-13", "float; int64[1]", "float"},

        {"Gather-13", "float[3] iota; int32[2] -1 0", "float[2] 2 0", {.to = 9, .becomes = "Gather-1"}},
        {"Gather-13", "?; int32[2] -1 0", "", {.error = "*", .to = 9}},
    });

}  // namespace
}  // namespace gather_test_cc
}  // namespace norn::ops::cases
