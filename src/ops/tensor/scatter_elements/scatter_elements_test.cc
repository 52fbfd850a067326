// ScatterElements against its definition, output[index[i][j][k]][j][k] = updates[i][j][k] for axis 0 and its like.
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace scatter_elements_test_cc {
namespace {

std::int64_t target(Sample& s, const std::vector<std::int64_t>& at) {
  const auto &d = s.in(0).dims, &dims = s.in(1).dims;
  const auto axis = static_cast<std::size_t>(s.number("axis") < 0 ? s.number("axis") + 3 : s.number("axis"));
  auto to = at;
  to[axis] = static_cast<std::int64_t>(s.in(1).values[position(at, dims)]);
  if (to[axis] < 0) to[axis] += d[axis];
  return position(to, d);
}

void scatter(Sample& s) {
  const auto& dims = s.in(1).dims;
  auto& y = s.out(0, s.in(0).dims);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = Sample::element(0, static_cast<std::int64_t>(i));
  std::vector<std::int64_t> at(3);
  do y[target(s, at)] = Sample::element(2, position(at, dims));
  while (next(at, dims));
}

void reduce(Sample& s) {
  const auto& dims = s.in(1).dims;
  auto& y = s.out(0, s.in(0).dims);
  y = s.in(0).values;
  std::vector<std::int64_t> at(3);
  do {
    double& v = y[target(s, at)];
    const double u = s.in(2).values[position(at, dims)];
    const auto how = s.word("reduction");
    v = how == "add" ? v + u : how == "mul" ? v * u : how == "max" ? std::fmax(v, u) : std::fmin(v, u);
  } while (next(at, dims));
}

const Cases cases(
    "ScatterElements",
    {
        {"ScatterElements axis={-3|-2|-1|0|1|2}",
         "T[2,3,4] odd; Tind[2,2,3] uniform -2 1; T[2,2,3] odd",
         "",
         {.picks = scatter}},
        {"Scatter-9 axis={-3|-2|-1|0|1|2}",
         "T[2,3,4] odd; Tind[2,2,3] uniform -2 1; T[2,2,3] odd",
         "",
         {.picks = scatter}},
        {"ScatterElements-18 axis={0|-1} reduction={add|mul|max|min}",
         "T[3,3,3] random; Tind[2,3,3] uniform -3 2; T[2,3,3] random",
         "",
         {.formula = reduce, .types = "float double int32 int64 int8"}},
        {"ScatterElements-16.. reduction=add", "uint8[2] 250 1; int64[3] 0 0 1; uint8[3] 5 5 5", "uint8[2] 4 6"},
        {"ScatterElements-16.. reduction=mul", "complex64[1] 1,2; int64[1] 0; complex64[1] 3,-1", "complex64[1] 5,5"},
        {"ScatterElements-16.. reduction=add", "bool[3] 0 1 0; int64[3] 0 1 2; bool[3] 1 1 0", "bool[3] 1 1 0"},
        {"ScatterElements-16.. reduction=mul", "bool[3] 0 1 1; int64[3] 0 1 2; bool[3] 1 1 0", "bool[3] 0 1 0"},
        {"ScatterElements-18 reduction=max", "float[3] 1 nan 3; int64[3] 0 1 2; float[3] nan 5 2",
         "float[3] nan nan 3"},
        {"ScatterElements-18 reduction=min", "uint64[2] max 1; int64[2] 0 1; uint64[2] 9223372036854775808 2",
         "uint64[2] 9223372036854775808 1"},
        // 2048 + 1 + 1 in half precision, rounded once.
        {"ScatterElements-16.. reduction=add", "float16[1] 2048; int64[2] 0 0; float16[2] 1 1", "float16[1] 2050"},
        // Without a reduction the last update of an element holds.
        {"ScatterElements", "float[2] 7 8; int64[3] 0 -2 0; float[3] 1 2 3", "float[2] 3 8"},
        {"ScatterElements axis=1", "string[1,3] a b c; int64[1,2] 2 0; string[1,2] x y", "string[1,3] y b x"},
        {"ScatterElements", "float[3] 1 2 3; int64[0]; float[0]", "float[3] 1 2 3"},
        {"ScatterElements", "float[0,3]; int64[0,3]; float[0,3]", "float[0,3]"},

        {"ScatterElements", "float[3] iota; int64[1] {3|-4|max|min}; float[1] 1", "", {.error = "index"}},
        {"ScatterElements", "float[0]; int64[1] 0; float[1] 1", "", {.error = "index"}},
        {"ScatterElements", "float[2,2] iota; int64[1,3] 0 0 0; float[1,3] 1 2 3", "", {.error = "*"}},
        {"ScatterElements", "float[3] iota; int64[2] 0 1; float[1] 1", "", {.error = "*"}},
        {"ScatterElements", "float[3] iota; int64[1,1] 0; float[1,1] 1", "", {.error = "*"}},
        {"ScatterElements", "float[] 1; int64[] 0; float[] 1", "", {.error = "*"}},
        {"ScatterElements axis={1|-2|min}", "float[3] iota; int64[1] 0; float[1] 1", "", {.error = "axis"}},
        {"ScatterElements-16 reduction={max|min|sum|\"\"}",
         "float[3] iota; int64[1] 0; float[1] 1",
         "",
         {.error = "reduction"}},
        {"ScatterElements-18 reduction={mean|ADD}",
         "float[3] iota; int64[1] 0; float[1] 1",
         "",
         {.error = "reduction"}},
        {"ScatterElements-18 reduction={add|max}", "string[1] a; int64[1] 0; string[1] b", "", {.error = "reduced"}},
        {"ScatterElements-18 reduction=max",
         "complex64[1] 1,1; int64[1] 0; complex64[1] 1,1",
         "",
         {.error = "reduced"}},

        {"ScatterElements axis=1", "float[N,4]; int64[M,K]; float[M,K]", "float[N,4]"},
        {"ScatterElements", "float; int64[M,K]; float", "float"},

        {"ScatterElements-18", "float[3] 1 2 3; int64[1] 1; float[1] 9", "float[3] 1 9 3", {.down_to = 11}},
        {"ScatterElements-18 reduction=add",
         "float[3] 1 2 3; int64[1] 1; float[1] 9",
         "float[3] 1 11 3",
         {.down_to = 16}},
        {"ScatterElements-18 reduction=max",
         "float[3] 1 2 3; int64[1] 1; float[1] 9",
         "float[3] 1 9 3",
         {.down_to = 18}},
        {"Scatter-9",
         "float[3] 1 2 3; int64[1] 1; float[1] 9",
         "float[3] 1 9 3",
         {.to = 18, .becomes = "ScatterElements-18"}},
    });

}  // namespace
}  // namespace scatter_elements_test_cc
}  // namespace norn::ops::cases
