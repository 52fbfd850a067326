// Max, Min, Sum and Mean: broadcasting of many operands, NaN, integers beyond double, the versions without
// broadcasting.
#include <algorithm>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace variadic_arith_test_cc {
namespace {

// Of [2,1,3], [4,1] and [].
template <double (*combine)(double, double), int divisor = 1>
void three(Sample& s) {
  auto& y = s.out(0, {2, 4, 3});
  std::vector<std::int64_t> i(3);
  do
    y[position(i, {2, 4, 3})] =
        combine(combine(s.in(0).at({i[0], 0, i[2]}), s.in(1).at({i[1], 0})), s.in(2).at({})) / divisor;
  while (next(i, {2, 4, 3}));
}
double larger(double a, double b) { return std::max(a, b); }
double smaller(double a, double b) { return std::min(a, b); }
double sum(double a, double b) { return a + b; }

const Cases cases(
    "VariadicArith",
    {
        {"Max-8..", "T[2,1,3] random; T[4,1] random; T[] random", "T[2,4,3]", {.formula = three<larger>}},
        {"Min-8..", "T[2,1,3] random; T[4,1] random; T[] random", "T[2,4,3]", {.formula = three<smaller>}},
        {"Sum-8..", "T[2,1,3] random; T[4,1] random; T[] random", "T[2,4,3]", {.formula = three<sum>}},
        {"Mean-8..", "T[2,1,3] random; T[4,1] random; T[] random", "T[2,4,3]", {.formula = three<sum, 3>}},
        {"{Max|Min|Sum|Mean}", "float[2] 1 -2", "float[2] 1 -2"},
        {"Mean-13", "double[4] nan 1 2 inf; double[4] 0 nan 3 1; double[4] 0 nan 4 -inf", "double[4] nan nan 3 nan"},
        // Neither the sum nor the quotient of halves is rounded on the way.
        {"Mean-13",
         "float16[2] 65504 2048; float16[2] 65504 1; float16[2] 65504 1",
         "float16[2] 65504 683.5",
         {.tolerance = 0, .fast = 0}},
        {"Mean-8", "float[2,0]; float[2,1] 1 2; float[] 3", "float[2,0]"},
        {"Mean-1 consumed_inputs=0,0", "float[2] 1 5; float[2] 3 -1", "float[2] 2 2"},
        {"Mean-6", "float[2] 1 5; float[2] 3 -1", "float[2] 2 2"},
        {"Mean-6", "float[2] 1 5; float[1] 1", "", {.error = "*"}},
        {"Mean-13", "float[2] 1 5; float[3] 1 1 1", "", {.error = "*"}},
        {"Mean", "int32[2]", "", {.error = "takes only"}},
        {"Mean-13", "float[N,1]; float[M]; float[]", "float[N,M]"},
        {"Mean-13", "float[N,2]; float[N,2]", "", {.to = 1, .becomes = "Mean-1"}},
        {"Mean-13", "float[N,2]; float[2]", "", {.error = "*", .to = 6}},
        {"Max-13", "double[3] nan 1 2; double[3] 0 nan 3; double[3] 0 nan 3", "double[3] nan nan 3"},
        {"Min-13", "double[3] nan 1 2; double[3] 0 nan 3; double[3] 0 nan 3", "double[3] nan nan 2"},
        {"Sum-13", "double[3] nan 1 2; double[3] 0 nan 3; double[3] 0 nan 3", "double[3] nan nan 8"},
        {"Min-13", "uint64[1] max; uint64[1] 18446744073709551614", "uint64[1] 18446744073709551614"},
        {"Max-13", "int64[1] min; int64[1] -9223372036854775807", "int64[1] -9223372036854775807"},
        // A sum of halves is rounded once.
        {"Sum-13",
         "float16[1] 2048; float16[1] 1; float16[1] 1; float16[1] 1; float16[1] 1",
         "float16[1] 2052",
         {.tolerance = 0, .fast = 0}},
        {"Sum-13", "float16[1] 65504; float16[1] 65504; float16[1] -65504", "float16[1] 65504"},
        {"Sum-13", "float[0,3]; float[3] 1 2 3", "float[0,3]"},
        {"Sum-13", "float[2] 1 2; float[3] 1 2 3", "", {.error = "*"}},

        {"Max-1 consumed_inputs=0,0", "float[2] 1 5; float[2] 3 -1", "float[2] 3 5"},
        {"Max-6", "float[2] 1 5; float[2] 3 -1", "float[2] 3 5"},
        {"Min-6", "float[2] 1 5; float[2] 3 -1", "float[2] 1 -1"},
        {"Sum-6", "float[2] 1 5; float[2] 3 -1", "float[2] 4 4"},
        {"Sum-6", "float[2]; float[1]", "", {.error = "*"}},
        {"Sum-6", "float[2] 1 5; float[1] 1", "", {.error = "*"}},
        {"Sum-8", "float[2]; float[1]", "float[2]"},
        {"Sum-6", "float; float[N]", "float[N]"},

        {"Max-13", "float[N,1]; float[M]; float[]", "float[N,M]"},
        {"Max-13", "float[N,1]; float", "float"},
        {"Max-13", "int64[3] 1 5 2; int64[1] 2", "int64[3] 2 5 2"},
        {"Min-13", "int64[] 7; int64[] 2", "int64[] 2"},

        {"Sum-13", "float[N,2]; float[N,2]", "", {.to = 6, .becomes = "Sum-6"}},
        {"Sum-13", "float[2]", "", {.to = 1, .becomes = "Sum-1"}},
        {"Sum-13", "float[N,2]; float[2]", "", {.to = 8, .becomes = "Sum-8"}},
        {"Sum-13", "{float[N,2]; float[2]|float[N]; float[M]|float; float}", "", {.error = "*", .to = 6}},
        {"Sum-13", "bfloat16[2]", "", {.error = "*", .to = 8}},
    });

}  // namespace
}  // namespace variadic_arith_test_cc
}  // namespace norn::ops::cases
