// Products with packed matrices of a few elements.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace matmul_nbits_test_cc {
namespace {

// Rows of sixteen 4-bit integers, the first in the lowest bits: 1, 2, 0, ... and 15, 0, ...
const Cases cases(
    "MatMulNBits",
    {
        {"com.microsoft.MatMulNBits K=16 N=2 block_size=16",
         "float[1,16] 1 10 0 0 0 0 0 0 0 0 0 0 0 0 0 100; uint8[2,1,8] 33 136 136 136 136 136 136 136 143 136 136 136 "
         "136 136 136 8;"
         " float[2,1] 2 1",
         "float[1,2] -134 -793"},
        {"com.microsoft.MatMulNBits K=16 N=2 block_size=16",
         "float[1,16] 1 10 0 0 0 0 0 0 0 0 0 0 0 0 0 100; uint8[2,1,8] 33 136 136 136 136 136 136 136 143 136 136 136 "
         "136 136 136 8;"
         " float[2,1] 2 1; uint8[2,1] 8 0",
         "float[1,2] -134 95"},
        {"com.microsoft.MatMulNBits K=17 N=1 bits=8 block_size=16",
         "float[2,17] fill 1; uint8[1,2,16] fill 130; float[1,2] 0.5 0.25; -; -; float[1] 7", "float[2,1] 23.5 23.5"},
        {"com.microsoft.MatMulNBits K=16 N=1 bits=2 block_size=16",
         "float[16] fill 1; uint8[1,1,4] fill 228; float[1,1] 1", "float[1] -8"},
        {"com.microsoft.MatMulNBits K=64 N=5 block_size=32", "float[B,S,64]; uint8[5,2,16]; float[5,2]",
         "float[B,S,5]"},
        {"com.microsoft.MatMulNBits K=64 N=5 block_size=32", "bfloat16[S,64]; uint8; bfloat16", "bfloat16[S,5]"},
        {"com.microsoft.MatMulNBits K=64 N=5 block_size=32 bits=5",
         "float[1,64] fill 1; uint8[5,2,20] fill 1; float[5,2] fill 1",
         "",
         {.error = "the attribute bits is 5"}},
        {"com.microsoft.MatMulNBits K=64 N=5 block_size=31",
         "float[1,64] fill 1; uint8[5,2,16] fill 1; float[5,2] fill 1",
         "",
         {.error = "power of two"}},
        {"com.microsoft.MatMulNBits K=64 N=5 block_size=32 bits=9",
         "float[B,64]; uint8[5,2,C]; float[5,2]",
         "",
         {.error = "the attribute bits is 9"}},
        {"com.microsoft.MatMulNBits K=64 N=5 block_size=24",
         "float[B,64]; uint8[5,2,16]; float[5,2]",
         "",
         {.error = "power of two"}},
        {"com.microsoft.MatMulNBits K=64 N=5 block_size=32",
         "float[B,64]; uint8[5,2,32]; float[5,2]",
         "",
         {.error = "dimension 2 of B"}},
        {"com.microsoft.MatMulNBits K=64 N=5 block_size=32 weight_prepacked=1",
         "float[B,64]; uint8[5,2,32]; float[5,2]", "float[B,5]"},
        {"com.microsoft.MatMulNBits K=9223372036854775807 N=9223372036854775807 block_size=16",
         "float[1,64] fill 1; uint8[5,2,16] fill 1; float[5,2] fill 1",
         "",
         {.error = "*"}},
    });

}  // namespace
}  // namespace matmul_nbits_test_cc
}  // namespace norn::ops::cases
