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
    });

}  // namespace
}  // namespace integer_products_test_cc
}  // namespace norn::ops::cases
