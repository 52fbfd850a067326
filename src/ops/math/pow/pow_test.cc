#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace pow_test_cc {
namespace {

const Cases cases(
    "Pow", {
               {"Pow-12..", "T[2,1] 4 0.25; int32[3] -1 0 2", "T[2,3] 0.25 1 16 4 1 0.0625", {.types = "floats"}},
               {"Pow-7..", "float[2] 2 9; float[] 0.5", "float[2] 1.41421356 3"},
               {"Pow-12..", "int64[] 3; int64[] 39", "int64[] 4052555153018976267"},
               {"Pow-12..", "int64[] -3; int64[] 3", "int64[] -27"},
               {"Pow-12..", "int32[2] 2 -3; int64[] 41", "int32[2] 0 -2069870691"},
               {"Pow-12..", "T[3] 3 -2 0; uint8[3] 2 3 0", "T[3] 9 -8 1", {.types = "floats"}},
               {"Pow-12..", "float[4] 2 -3 inf nan; int64[] 3", "float[4] 8 -27 inf nan"},
               {"Pow-12..", "double[4] 2 -3 0 -inf; int32[] -1", "double[4] 0.5 -0.33333333333333331 inf -0"},
               {"Pow-12..", "float[2] 2 9; double[2,1] 0.5 2", "float[2,2] 1.41421356 3 4 81"},
               {"Pow-12..", "int64[] 10; float[] 30", "", {.error = "does not fit"}},
               {"Pow-12..", "int32[2] 4 0; int64[] -1", "", {.error = "negative power"}},
               {"Pow-12..", "int64[] 2; int64[] 64", "int64[] 0"},
               {"Pow-12..", "int64[] 2; int64[] -1", "int64[] 0"},
               {"Pow-12..", "int64[] -1; int64[] -3", "int64[] -1"},
               {"Pow-12..", "int64[] 1; int64[] -9", "int64[] 1"},
               {"Pow-15", "int64[] 0; int64[] -1", "", {.error = "*"}},
               {"Pow-12..", "int32[] 17; float[] 0.5", "int32[] 4"},
               {"Pow", "float[2] 2 3; float[2] 3 2", "float[2] 8 9"},
               {"Pow-1 broadcast=1", "float[2] 2 3; float[1] 2", "float[2] 4 9"},
           });

}  // namespace
}  // namespace pow_test_cc
}  // namespace norn::ops::cases
