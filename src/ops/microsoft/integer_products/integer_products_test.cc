// Products of small matrices, and a C that would enlarge them.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace integer_products_test_cc {
namespace {

const Cases cases(
    "QGemm",
    {
        {"com.microsoft.QGemm",
         "uint8[1,2] 3 4; float[] 0.5; uint8[] 1; uint8[2,2] 1 2 3 4; float[] 2; uint8[] 0; int32[2] 10 20",
         "float[1,2] 21 36"},
        {"com.microsoft.QGemm transB=1",
         "uint8[1,2] 3 4; float[] 0.5; uint8[] 1; uint8[2,2] 1 3 2 4; float[] 2; uint8[] 0; int32[1,1] 10",
         "float[1,2] 21 26"},
        {"com.microsoft.QGemm", "uint8[M,K]; float; uint8; uint8[K,N]; float; uint8; int32[N]; float; uint8",
         "uint8[M,N]"},
        {"com.microsoft.QGemm",
         "uint8[3,4] fill 1; float[] 1; uint8[] 0; uint8[4,1] fill 1; float[] 1; uint8[] 0; int32[5] fill 1",
         "",
         {.error = "*"}},
        {"com.microsoft.QGemm",
         "uint8[1,4] fill 1; float[] 1; uint8[] 0; uint8[4,5] fill 1; float[] 1; uint8[] 0; int32[3,5] fill 1",
         "",
         {.error = "*"}},
        {"com.microsoft.QGemm",
         "uint8[3,4] fill 1; float[] 1; uint8[] 0; uint8[4,5] fill 1; float[] 1; uint8[] 0; int32[4] fill 1",
         "",
         {.error = "*"}},
        {"com.microsoft.QGemm",
         "uint8[3,4] fill 1; float[] 1; uint8[] 0; uint8[4,5] fill 1; float[] 1; uint8[] 0; int32[2,3,5] fill 1",
         "",
         {.error = "*"}},
        {"com.microsoft.QGemm",
         "uint8[4] fill 1; float[] 1; uint8[] 0; uint8[4,5] fill 1; float[] 1; uint8[] 0; int32[5] fill 1",
         "",
         {.error = "*"}},
        {"com.microsoft.QGemm",
         "uint8[1,3,4] fill 1; float[] 1; uint8[] 0; uint8[4,5] fill 1; float[] 1; uint8[] 0; int32[5] fill 1",
         "",
         {.error = "*"}},
        {"com.microsoft.QGemm",
         "uint8[3,4] fill 1; float[] 1; uint8[] 0; uint8[1,4,5] fill 1; float[] 1; uint8[] 0; int32[5] fill 1",
         "",
         {.error = "*"}},
        {"com.microsoft.QGemm",
         "uint8[3,4] fill 1; float[] 1; uint8[] 0; uint8[5,5] fill 1; float[] 1; uint8[] 0; int32[5] fill 1",
         "",
         {.error = "*"}},
        {"com.microsoft.QGemm",
         "uint8[3,4] fill 1; float[2] fill 1; uint8[] 0; uint8[4,2] fill 1; float[] 1; uint8[] 0",
         "",
         {.error = "a_scale has to be one number"}},
        {"com.microsoft.QGemm",
         "uint8[3,4] fill 1; float[] 1; uint8[] 0; uint8[4,1] fill 1; float[3] fill 1; uint8[] 0",
         "",
         {.error = "*"}},
    });

// Scales and biases do not enlarge the product, whether their sizes are known before it runs or not.
const Cases products("DynamicQuantizeMatMul",
                     {
                         {"com.microsoft.DynamicQuantizeMatMul", "float[1,2] 0 255; uint8[2,2] 1 2 3 4; float[2] 1 2",
                          "float[1,2] 765 2040"},
                         {"com.microsoft.DynamicQuantizeMatMul",
                          "float[1,2] 0 255; uint8[2,2] 1 2 3 4; float[] 1; -; float[2] 1 -1", "float[1,2] 766 1019"},
                         {"com.microsoft.DynamicQuantizeMatMul",
                          "float[3,4] fill 1; uint8[4,1] fill 1; float[3] fill 1",
                          "",
                          {.error = "*"}},
                         {"com.microsoft.DynamicQuantizeMatMul",
                          "float[3,4] fill 1; uint8[4,1] fill 1; float[] 1; -; float[5] fill 1",
                          "",
                          {.error = "*"}},
                         {"com.microsoft.DynamicQuantizeMatMul",
                          "float[3,4] fill 1; uint8[4,2] fill 1; float[] 1; -; float[5,3,2] fill 1",
                          "",
                          {.error = "*"}},
                     });
const Cases to_float("MatMulIntegerToFloat",
                     {
                         {"com.microsoft.MatMulIntegerToFloat",
                          "uint8[1,2] 1 2; uint8[2,2] 1 2 3 4; float[1] 2; float[2] 1 3", "float[1,2] 14 60"},
                         {"com.microsoft.MatMulIntegerToFloat",
                          "uint8[3,4] fill 1; uint8[4,1] fill 1; float[] 1; float[3] fill 1",
                          "",
                          {.error = "*"}},
                         {"com.microsoft.MatMulIntegerToFloat",
                          "uint8[3,4] fill 1; uint8[4,1] fill 1; float[] 1; float[] 1; -; -; float[3] fill 1",
                          "",
                          {.error = "*"}},
                     });

}  // namespace
}  // namespace integer_products_test_cc
}  // namespace norn::ops::cases
