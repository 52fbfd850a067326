// Rows by their scales; a table and scales of other rows are refused.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace gather_block_quantized_test_cc {
namespace {

const Cases cases(
    "GatherBlockQuantized",
    {
        {"com.microsoft.GatherBlockQuantized bits=4 block_size=16",
         "uint8[2,8] 137 136 136 136 136 136 136 136 8 136 136 136 136 136 136 136; int64[1] 1; float[2,1] 2 3",
         "float[1,16] 0 -24 0 0 0 0 0 0 0 0 0 0 0 0 0 0"},
        {"com.microsoft.GatherBlockQuantized bits=4 block_size=16", "uint8[6,8]; int64[A,B]; float[6,1]",
         "float[A,B,16]"},
        {"com.microsoft.GatherBlockQuantized bits=4 block_size=16",
         "uint8[6,8] fill 1; int64[1] 1; float[5,1] random",
         "",
         {.error = "*"}},
        {"com.microsoft.GatherBlockQuantized bits=4 block_size=16",
         "uint8[6,8] fill 1; int64[1] 1; float[7,1] random",
         "",
         {.error = "*"}},
        {"com.microsoft.GatherBlockQuantized bits=4 block_size=16",
         "uint8[6,8] fill 1; int64[1] 1; float[12,1] random",
         "",
         {.error = "*"}},
        {"com.microsoft.GatherBlockQuantized bits=4 block_size=16",
         "uint8[6,8] fill 1; int64[1] 1; float[1,1] random",
         "",
         {.error = "*"}},
        {"com.microsoft.GatherBlockQuantized bits=4 block_size=16",
         "uint8[6,8] fill 1; int64[1] 1; float[6] random",
         "",
         {.error = "*"}},
        {"com.microsoft.GatherBlockQuantized bits=4 block_size=16",
         "uint8[6,8] fill 1; int64[1] 1; float[6,1] random; uint8[5,1] fill 8",
         "",
         {.error = "*"}},
        {"com.microsoft.GatherBlockQuantized bits=3", "uint8[R,8]; int64[N]; float[R,1]", "", {.error = "bits is 3"}},
        {"com.microsoft.GatherBlockQuantized block_size=24",
         "uint4[R,8]; int64[N]; float[R,1]",
         "",
         {.error = "power of two"}},
        {"com.microsoft.GatherBlockQuantized gather_axis=2",
         "uint4[R,8]; int64[N]; float[R,1]",
         "",
         {.error = "gather_axis"}},
        {"com.microsoft.GatherBlockQuantized gather_axis=1 quantize_axis=0",
         "uint8[R,8]; int64[N]; float[1,8]",
         "",
         {.error = "gather_axis has to be 0"}},
    });

}  // namespace
}  // namespace gather_block_quantized_test_cc
}  // namespace norn::ops::cases
