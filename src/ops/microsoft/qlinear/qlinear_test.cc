// Operators on 8-bit integers, of numbers that are exact in float.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace qlinear_test_cc {
namespace {

const Cases cases(
    "QLinear",
    {
        {"com.microsoft.QLinearAdd",
         "uint8[3] 0 130 255; float[] 0.5; uint8[] 128; uint8[1] 4; float[1] 2; -; float[] 0.25; uint8[] 3",
         "uint8[3] 0 39 255"},
        {"com.microsoft.QLinearMul",
         "int8[2,2] -8 8 2 0; float[] 0.5; -; int8[2] 2 3; float[] 1; int8[] 1; float[] 1; int8[] -1",
         "int8[2,2] -5 7 0 -1"},
        {"com.microsoft.QLinearLeakyRelu alpha=0.5", "int8[3] -8 0 8; float[] 1; int8[] 0; float[] 1; int8[] 0",
         "int8[3] -4 0 8"},
        {"com.microsoft.QLinearSigmoid", "int8[3] -100 0 100; float[] 1; int8[] 0; float[] 0.0078125; -",
         "int8[3] 0 64 127"},
        {"com.microsoft.QLinearAdd", "uint8[N,3]; float[]; uint8[]; uint8[3]; float[]; -; float[]", "uint8[N,3]"},
        {"com.microsoft.QLinearMul",
         "uint8[3] 1 2 3; float[3] 1 1 1; -; uint8[3] 1 2 3; float[] 1; -; float[] 1",
         "",
         {.error = "*"}},
    });

}  // namespace
}  // namespace qlinear_test_cc
}  // namespace norn::ops::cases
