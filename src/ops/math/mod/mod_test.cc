// Mod against its definition by quotients.
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace mod_test_cc {
namespace {

double by_floor(double a, double b) { return a - std::floor(a / b) * b; }
double by_trunc(double a, double b) { return a - std::trunc(a / b) * b; }

const Cases cases(
    "Mod",
    {
        {"Mod", "T[2,1,3] uniform 0 100; T[4,1] uniform 1 9", "T[2,4,3]", {.both = by_floor, .types = "unsigned"}},
        {"Mod fmod=1", "T[2,1,3] uniform 0 100; T[4,1] uniform 1 9", "T[2,4,3]", {.both = by_trunc, .tolerance = 1e-2}},
        {"Mod", "T[20] uniform -100 100; T[20] uniform 1 9", "", {.both = by_floor, .types = "signed"}},
        {"Mod", "T[20] uniform -100 100; T[20] uniform -9 -1", "", {.both = by_floor, .types = "signed"}},
        {"Mod fmod=1",
         "T[20] uniform -100 100; T[20] uniform -9 -1",
         "",
         {.both = by_trunc, .types = "signed floats", .tolerance = 1e-9}},
        {"Mod-28",
         "T[20] uniform -100 100; T[20] uniform -9 -1",
         "",
         {.both = by_floor, .types = "floats", .tolerance = 1e-2}},

        {"Mod", "int32[8] -4 7 5 4 -7 8 -4 4; int32[8] 2 -3 8 -2 3 5 3 -3", "int32[8] 0 -2 5 0 2 3 2 -2"},
        {"Mod fmod=1", "int32[8] -4 7 5 4 -7 8 -4 4; int32[8] 2 -3 8 -2 3 5 3 -3", "int32[8] 0 1 5 0 -1 3 -1 1"},
        {"Mod fmod={0|1}", "int64[3] min max min; int64[3] -1 -1 min", "int64[3] 0 0 0"},
        {"Mod fmod={0|1}", "int32[2] min 5; int32[2] -1 -1", "int32[2] 0 0"},
        {"Mod fmod={0|1}", "int8[1] -128; int8[1] -1", "int8[1] 0"},
        {"Mod", "int64[4] 1 -1 max min; int64[4] min max min max",
         "int64[4] -9223372036854775807 9223372036854775806 -1 9223372036854775806"},
        {"Mod fmod=1", "int64[4] 1 -1 max min; int64[4] min max min max", "int64[4] 1 -1 max -1"},
        {"Mod fmod={0|1}", "uint64[2] max max; uint64[2] 10 18446744073709551614", "uint64[2] 5 1"},
        {"Mod fmod={0|1}", "T[2] fill 3; T[1] fill 0", "", {.types = "signed unsigned", .error = "*"}},
        {"Mod fmod={2|-1}", "int32[2] 1 2; int32[1] 1", "", {.error = "fmod"}},

        {"Mod fmod=1",
         "float[4] 5.5 -5.5 5.5 -5.5; float[4] 2 2 -2 -2",
         "float[4] 1.5 -1.5 1.5 -1.5",
         {.tolerance = 0, .fast = 0}},
        {"Mod-28",
         "float[4] 5.5 -5.5 5.5 -5.5; float[4] 2 2 -2 -2",
         "float[4] 1.5 0.5 -0.5 -1.5",
         {.tolerance = 0, .fast = 0}},
        {"Mod-28", "double[4] 0 -0 0 -0; double[4] 3 3 -3 -3", "double[4] 0 0 -0 -0", {.tolerance = 0, .fast = 0}},
        {"Mod-28", "double[4] 6 -6 6 -6; double[4] 3 3 -3 -3", "double[4] 0 0 -0 -0", {.tolerance = 0, .fast = 0}},
        {"Mod-28",
         "double[6] 3 -3 3 -3 0 -0; double[6] inf inf -inf -inf -inf inf",
         "double[6] 3 inf -inf -3 -0 0",
         {.tolerance = 0, .fast = 0}},
        {"Mod-28", "double[6] inf -inf 1 0 nan 1; double[6] 2 inf 0 -0 2 nan", "double[6] nan nan nan nan nan nan"},
        {"Mod fmod=1", "double[4] 3 -3 3 -3; double[4] inf inf -inf -inf", "double[4] 3 -3 3 -3"},
        {"Mod fmod=1", "double[5] inf -inf 1 nan 1; double[5] 2 inf 0 2 nan", "double[5] nan nan nan nan nan"},
        {"Mod fmod=1", "double[1] 1e300; double[1] 7", "double[1] 1", {.tolerance = 0, .fast = 0}},
        {"Mod-{10|13}", "T[2] fill 3; T[1] fill 2", "", {.types = "floats", .error = "fmod"}},
        {"Mod-10", "float[2]; float[2]", "", {.error = "fmod"}},
        {"Mod fmod=1", "float[0,3]; float[3] 1 2 3", "float[0,3]"},
        {"Mod", "int32[2] 1 2; int32[3] 1 2 3", "", {.error = "*"}},

        {"Mod", "int64[3] N 7 -7; int64[] 3", "int64[3] mod(N,3) 1 2"},
        {"Mod", "int64[3] 7 -7 6; int64[] -3", "int64[3] -2 -1 0"},
        {"Mod fmod=1", "int64[3] 7 -7 6; int64[] -3", "int64[3] 1 -1 0"},
        {"Mod", "int64[2] 4*N 5; int64[2] 2 1", "int64[2] 0 0"},
        {"Mod", "int64[] N; int64[] {M|0}", "int64[] unknown"},
        {"Mod", "int64[N,1]; int64[M]", "int64[N,M]"},

        {"Mod-28 fmod=1", "float[2]; float[2]", "", {.to = 10, .becomes = "Mod-10 fmod=1"}},
        {"Mod-28", "int32[2]; int32[2]", "", {.to = 10, .becomes = "Mod-10"}},
        {"Mod-13", "int32[2]; int32[2]", "", {.to = 28, .becomes = "Mod-28"}},
        {"Mod-28", "{float[2]; float[2]|?; ?}", "", {.error = "*", .to = 13}},
    });

}  // namespace
}  // namespace mod_test_cc
}  // namespace norn::ops::cases
