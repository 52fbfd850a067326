// GatherElements against its definition, output[i][j][k] = data[i][index[i][j][k]][k] for axis 1 and its like.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace gather_elements_test_cc {
namespace {

void gather(Sample& s) {
  const auto &d = s.in(0).dims, &dims = s.in(1).dims;
  const auto axis = static_cast<std::size_t>(s.number("axis") < 0 ? s.number("axis") + 3 : s.number("axis"));
  auto& y = s.out(0, dims);
  std::vector<std::int64_t> at(3);
  do {
    auto from = at;
    const double index = s.in(1).values[position(at, dims)];
    from[axis] = static_cast<std::int64_t>(index < 0 ? index + static_cast<double>(d[axis]) : index);
    y[position(at, dims)] = Sample::element(0, position(from, d));
  } while (next(at, dims));
}

const Cases cases(
    "GatherElements",
    {
        {"GatherElements axis={-3|-2|-1|0|1|2}", "T[2,3,4] odd; Tind[2,2,3] uniform -2 1", "", {.picks = gather}},
        {"GatherElements axis=1", "string[2,2] a b c d; int64[2,2] 1 0 0 1", "string[2,2] b a c d"},
        {"GatherElements", "string[2,2] a b c d; int64[0,2]", "string[0,2]"},
        {"GatherElements-13", "float16[N,4]; int64[M,2]", "float16[M,2]"},
        {"GatherElements-13", "int8; int64", "int8"},
        {"GatherElements-13", "float[2,3] random; int64[1,1] {2|-3}", "", {.error = "*"}},
        {"GatherElements-13", "float[2,3] random; int64[1,4] 0 0 0 0", "", {.error = "*"}},
        {"GatherElements-13", "float[2,3]; {int64[2]|int64[1,4]}", "", {.error = "*"}},
        {"GatherElements-13 axis=2", "float[2,3]; int64[1,1]", "", {.error = "*"}},
    });

}  // namespace
}  // namespace gather_elements_test_cc
}  // namespace norn::ops::cases
