#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace binary_arith_test_cc {
namespace {

double add(double a, double b) { return a + b; }
double subtract(double a, double b) { return a - b; }
double multiply(double a, double b) { return a * b; }
double divide(double a, double b) { return a / b; }

// B's place in A by the attributes of the versions before 7.
void add_at_axis_1(Sample& s) {
  auto& y = s.out(0, s.in(0).dims);
  std::vector<std::int64_t> i(4);
  do y[position(i, s.in(0).dims)] = s.in(0).at({i[0], i[1], i[2], i[3]}) + s.in(1).at({i[1], i[2]});
  while (next(i, s.in(0).dims));
}

const Cases cases(
    "BinaryArith",
    {
        {"Add-7..", "T[2,3] 7 8 9 10 11 12; T[3] 1 2 4", "T[2,3] 8 10 13 11 13 16"},
        {"Sub-7..", "T[2,3] 7 8 9 10 11 12; T[3] 1 2 4", "T[2,3] 6 6 5 9 9 8"},
        {"Mul-7..", "T[2,3] 7 8 9 10 11 12; T[3] 1 2 4", "T[2,3] 7 16 36 10 22 48"},
        {"Div-7..", "T[2,3] 7 8 9 10 11 12; T[3] 1 2 4", "T[2,3] 7 4 2.25 10 5.5 3", {.types = "floats"}},
        {"Div-7..", "T[2,3] 7 8 9 10 11 12; T[3] 1 2 4", "T[2,3] 7 4 2 10 5 3", {.types = "signed unsigned"}},
        {"Add-7..",
         "{T[2,3] odd; T[3] random|T[2,1] odd; T[1,3] odd|T[] random; T[] random|T[0,3]; T[3] random}",
         "",
         {.both = add, .types = "floats"}},
        {"Add-7..",
         "{T[0,3]; T[1,1] random|T[3,1,2] random; T[4,1] random|T[2,3,4] odd; T[3,1] odd}",
         "",
         {.both = add, .types = "floats"}},
        {"Sub-7..",
         "{T[2,3] odd; T[3] random|T[2,1] odd; T[1,3] odd|T[3,1,2] random; T[4,1] random|T[1,0]; T[2,1,1] random}",
         "",
         {.both = subtract, .types = "floats signed"}},
        {"Mul-7..",
         "{T[2,3] odd; T[3] random|T[2,1] odd; T[1,3] odd|T[3,1,2] random; T[4,1] random|T[1,0]; T[2,1,1] random}",
         "",
         {.both = multiply, .types = "floats signed"}},
        {"Div-7..",
         "{T[2,3] odd; T[3] random|T[2,1] odd; T[1,3] odd|T[3,1,2] random; T[4,1] random|T[1,0]; T[2,1,1] random}",
         "",
         {.both = divide, .types = "floats"}},
        {"Add-7..", "float[2,1] 10 20; float[1,3] 1 2 3", "float[2,3] 11 12 13 21 22 23"},
        {"Mul-7..", "float[] 3; float[] 4", "float[] 12"},
        {"Add-7..", "float[0,3]; float[2,3] random", "", {.error = "*"}},

        // Integers wrap around and truncate.
        {"Add-14", "int8[1] 127; int8[1] 1", "int8[1] -128"},
        {"Sub-14", "uint8[1] 0; uint8[1] 1", "uint8[1] 255"},
        {"Div-14", "int64[2] -7 7; int64[1] 2", "int64[2] -3 3"},
        {"Div-14", "int64[1] min; int64[1] -1", "int64[1] min"},
        {"Add-14", "int64[1] max; int64[1] 1", "int64[1] min"},
        {"Mul-14", "int32[] 1073741824; int32[] 4", "int32[] 0"},
        {"Div-14", "int32[1] 1; int32[1] 0", "", {.error = "*"}},
        {"Add-14", "float16[5] 65504 0 inf 1 -1; float16[5] 65504 0 inf 0 0", "float16[5] inf 0 inf 1 -1"},
        {"Div-14", "float16[5] 65504 0 inf 1 -1; float16[5] 65504 0 inf 0 0", "float16[5] 1 nan nan inf -inf"},

        {"Add-14", "float[N,1,W]; float[H,1]", "float[N,H,W]"},
        {"Add-14", "float[N,3]; float[3]", "float[N,3]"},
        {"Add-14", "float[N]; float[3]", "float[3]"},
        {"Add-14", "float[N]; float[M]", "float[?]"},
        {"Add-14", "float[N]; float", "float"},
        {"Add-14", "float[]; float[]", "float[]"},
        {"Add-14", "float[2]; float[3]", "", {.error = "*"}},
        {"Add-14",
         "float[2]; int64[2]",
         "",
         {.error = "input 1 \"B\" is int64[2], but T is float because of input 0 \"A\""}},

        // 2*seq + 1, computed by operators.
        {"Mul-14", "int64[1] seq; int64[1] 2", "int64[1] 2*seq"},
        {"Add-14", "int64[1] seq; int64[1] seq", "int64[1] 2*seq"},
        {"Sub-14", "int64[1] seq; int64[1] seq", "int64[1] 0"},
        {"Div-14", "int64[1] seq; int64[1] 2", "int64[1] floor(seq/2)"},
        {"Div-14", "int64[1] 6*seq; int64[1] 2", "int64[1] 3*seq"},
        {"Div-14", "int64[1] seq-1; int64[1] 2", "int64[1] unknown"},  // truncation differs from the floor at seq = 0
        {"Div-14", "int64[1] seq; int64[1] 0", "int64[1] unknown"},
        {"Div-14", "int64[2] seq-1 8; int64[1] 2", "int64[2] ? 4"},
        {"Div-14", "int64[1] -7; int64[1] 2", "int64[1] -3"},

        // Up to version 6 attributes say where B lies in A.
        {"Add-6 broadcast=1 axis=1",
         "float[2,3,4,5] random; float[3,4] random",
         "float[2,3,4,5]",
         {.formula = add_at_axis_1}},
        {"Add-1 broadcast=1 axis=1 consumed_inputs=0,0",
         "float[2,3,4,5] random; float[3,4] random",
         "float[2,3,4,5]",
         {.formula = add_at_axis_1}},
        {"Mul-6 broadcast=1", "float[2,3,4,5] random; float[4,5] random", "", {.both = multiply}},
        {"Add-6", "float[2,3,4,5] random; float[4,5] random", "", {.error = "*"}},
        {"Add-6", "float[2,3]; float[3]", "", {.error = "*"}},

        {"Add-14", "float[N,3,4]; float[3,4]", "", {.to = 6, .becomes = "Add-6 broadcast=1"}},
        {"Add-14",
         "float[2,3,4] random; float[3,1] 1 2 3",
         "",
         {.both = add, .to = 6, .becomes = "Add-6 broadcast=1 axis=1"}},
        {"Add-14", "float[N]; float[N]", "", {.to = 1, .becomes = "Add-1"}},
        {"Add-14", "float[1,3]; float[2,3]", "", {.error = "*", .to = 6}},
        {"Add-14", "float; float[2,3]", "", {.error = "*", .to = 6}},
        {"Add-14", "int8[2]; int8[2]", "", {.error = "int8", .to = 13}},  // int8 came with 14
        {"Add-14", "bfloat16[2]; bfloat16[2]", "", {.error = "bfloat16", .to = 7}},
        {"Add-1 broadcast=1 axis=1", "float; float[3]", "", {.to = 14, .becomes = "Add-6 broadcast=1 axis=1"}},
        {"Add-6", "float; float", "", {.to = 14, .becomes = "Add-6"}},  // they may not be broadcast
        {"Add-6", "float[N,3]; float[N,3]", "", {.to = 14, .becomes = "Add-14"}},
        {"Add-6 broadcast=1", "float; float[3]", "", {.to = 14, .becomes = "Add-6 broadcast=1"}},
        {"Add-6 broadcast=1", "float[M,N]; float[3]", "", {.to = 14, .becomes = "Add-6 broadcast=1"}},
        {"Add-6 broadcast=1", "float[M,N]; float[N]", "", {.to = 14, .becomes = "Add-14"}},
    });

}  // namespace
}  // namespace binary_arith_test_cc
}  // namespace norn::ops::cases
