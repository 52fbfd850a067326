// TensorScatter against the standard's pseudocode, over single elements.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace tensor_scatter_test_cc {
namespace {

void scatter(Sample& s) {
  const auto &c = s.in(0).dims, &u = s.in(1).dims;
  const double given = s.number("axis", -2);
  const auto axis = static_cast<std::size_t>(given < 0 ? given + static_cast<double>(c.size()) : given);
  auto& y = s.out(0, c);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = Sample::element(0, static_cast<std::int64_t>(i));
  std::vector<std::int64_t> at(u.size());
  do {
    auto to = at;
    if (s.has(2)) to[axis] += static_cast<std::int64_t>(s.in(2).values[at[0]]);
    to[axis] = (to[axis] + 8 * c[axis]) % c[axis];
    y[position(to, c)] = Sample::element(1, position(at, u));
  } while (next(at, u));
}

const Cases cases(
    "TensorScatter",
    {
        {"TensorScatter mode={linear|circular}", "T[2,5,3] odd; T[2,2,3] odd", "", {.picks = scatter}},
        {"TensorScatter", "T[2,5,3] odd; T[2,2,3] odd; int64[2] 3 1", "", {.picks = scatter}},
        {"TensorScatter axis={-1|2}", "float[2,3,4] odd; float[2,3,2] odd; int64[2] 2 0", "", {.picks = scatter}},
        {"TensorScatter", "float[2,3,4,2] odd; float[2,3,2,2] odd; int64[2] 2 0", "", {.picks = scatter}},
        {"TensorScatter axis=1 mode=circular",
         "float[3,4,2] odd; float[3,3,2] odd; int64[3] 3 -1 6",
         "",
         {.picks = scatter}},
        {"TensorScatter mode=circular", "float[2,3,1] iota; float[2,1,1] 7 8; int64[2] max min",
         "float[2,3,1] 0 7 2 3 8 5"},
        {"TensorScatter", "float[2,3,1] iota; float[2,0,1]; int64[2] 3 0", "float[2,3,1] 0 1 2 3 4 5"},
        {"TensorScatter mode={linear|circular}", "float[2,0,1]; float[2,0,1]; int64[2] 0 0", "float[2,0,1]"},
        {"TensorScatter", "float[1099511627776,3,0]; float[1099511627776,2,0]", "float[1099511627776,3,0]"},
        {"TensorScatter", "float[0,3,1]; float[0,2,1]; int64[0]", "float[0,3,1]"},

        {"TensorScatter",
         "float[2,3,1] iota; float[2,2,1] iota; int64[2] {2|-1|max|min} 0",
         "",
         {.error = "write index"}},
        {"TensorScatter", "float[2,3,1] iota; float[2,4,1] iota", "", {.error = "*"}},
        {"TensorScatter", "float[2,3,1] iota; float[1,2,1] iota", "", {.error = "*"}},
        {"TensorScatter", "float[2,3,1] iota; float[2,2,1] iota; int64[3] 0 0 0", "", {.error = "*"}},
        {"TensorScatter axis={0|-3}", "float[2,3,1] iota; float[2,3,1] iota", "", {.error = "batch"}},
        {"TensorScatter", "float[2,3] iota; float[2,3] iota", "", {.error = "batch"}},
        {"TensorScatter", "float[3] iota; float[3] iota", "", {.error = "axis"}},
        {"TensorScatter mode=ring", "float[2,3,1] iota; float[2,3,1] iota", "", {.error = "mode"}},
        {"TensorScatter", "float[B,H,S,64]; float[B,H,1,64]; int64[B]", "float[B,H,S,64]"},
        {"TensorScatter", "float; float[B,H,1,64]; int64", "float"},
    });

}  // namespace
}  // namespace tensor_scatter_test_cc
}  // namespace norn::ops::cases
