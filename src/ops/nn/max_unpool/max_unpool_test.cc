#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace max_unpool_test_cc {
namespace {

const Cases cases(
    "MaxUnpool",
    {
        {"MaxUnpool kernel_shape=2,2 strides=2,2", "T1[1,1,2,2] 1 2 3 4; int64[1,1,2,2] 5 7 13 15",
         "T1[1,1,4,4] 0 0 0 0 0 1 0 2 0 0 0 0 0 3 0 4"},
        // Indices count in the output, whatever its size is said to be, and across channels.
        {"MaxUnpool kernel_shape=2,2 strides=2,2 pads={0,0,0,0|1,1,1,1}",
         "float[1,1,2,2] 1 2 3 4; int64[1,1,2,2] 5 7 13 15; int64[4] 1 1 5 4",
         "float[1,1,5,4] 0 0 0 0 0 1 0 2 0 0 0 0 0 3 0 4 0 0 0 0"},
        {"MaxUnpool kernel_shape=2 strides=2", "float[1,2,1] 7 8; int64[1,2,1] 3 0", "float[1,2,2] 8 0 0 7"},
        {"MaxUnpool kernel_shape=3 pads=1,1", "float[1,1,3] -1 nan inf; int64[1,1,3] 2 0 1", "float[1,1,3] nan inf -1"},
        {"MaxUnpool kernel_shape=2", "float[1,1,2] 1 2; int64[1,1,2] 1 1", "float[1,1,3] 0 2 0"},
        {"MaxUnpool kernel_shape=2", "float[0,1,2]; int64[0,1,2]", "float[0,1,3]"},
        {"MaxUnpool kernel_shape=2",
         "float[1,1,2] 1 2; int64[1,1,2] 0 {3|-1|9223372036854775807}",
         "",
         {.error = "outside"}},
        {"MaxUnpool-22 kernel_shape=2 pads=3,3", "float[1,1,2]; int64[1,1,2]", "", {.error = "size of -3"}},
        {"MaxUnpool-22 kernel_shape=2", "float[1,1,2]; int64[1,1,3]", "", {.error = "*"}},
        {"MaxUnpool-22 kernel_shape=2", "float[1,1,2]; int64[1,1,2]; int64[2] 1 1", "", {.error = "output_shape"}},
        {"MaxUnpool-22 kernel_shape=2,2", "float[1,1,2]; int64[1,1,2]", "", {.error = "*"}},
        {"MaxUnpool-22 kernel_shape=2 strides=9223372036854775807", "float[1,1,9]; int64[1,1,9]", "", {.error = "*"}},
        {"MaxUnpool-22 kernel_shape=2,3 strides=2,1 pads=0,1,0,1", "float[N,C,H,W]; int64[N,C,H,W]",
         "float[N,C,2*H,W]"},
        {"MaxUnpool-22 kernel_shape=2", "float[N,C,H]; int64[N,C,H]; int64[3] N C 2*H", "float[N,C,2*H]"},
        {"MaxUnpool-22 kernel_shape=2", "float[N,C,H]; int64[N,C,H]; int64[3]", "float[?,?,?]"},
        {"MaxUnpool-22 kernel_shape=2", "float; int64", "float[?,?,?]"},
    });

}  // namespace
}  // namespace max_unpool_test_cc
}  // namespace norn::ops::cases
