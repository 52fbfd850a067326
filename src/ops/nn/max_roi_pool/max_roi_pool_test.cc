#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace max_roi_pool_test_cc {
namespace {

const Cases cases(
    "MaxRoiPool",
    {
        {"MaxRoiPool pooled_shape=2,2", "T[1,1,4,4] iota; T[1,5] 0 0 0 3 3", "T[1,1,2,2] 5 7 13 15"},
        // Three elements in two bins: the middle one is in both.
        {"MaxRoiPool pooled_shape=1,2", "T[1,2,1,3] 1 2 0 3 9 4; T[1,5] 0 0 0 2 0", "T[1,2,1,2] 2 2 9 9"},
        {"MaxRoiPool pooled_shape=1,1 spatial_scale=0.5", "T[2,1,2,2] iota; T[2,5] 1 0 0 1 1 0 0 0 0.5 0.5",
         "T[2,1,1,1] 7 0"},
        // Seven thirds, thrice, are seven.
        {"MaxRoiPool pooled_shape=1,3", "float[1,1,1,8] iota; float[1,5] 0 0 0 6 0", "float[1,1,1,3] 2 4 6"},
        // More bins than elements; turned inside out; outside.
        {"MaxRoiPool pooled_shape=1,4", "float[1,1,1,2] 5 6; float[1,5] 0 0 0 1 0", "float[1,1,1,4] 5 5 6 6"},
        {"MaxRoiPool pooled_shape=1,1", "float[1,1,1,3] 5 6 7; float[1,5] 0 1 0 0 0", "float[1,1,1,1] 6"},
        {"MaxRoiPool pooled_shape=1,2", "float[1,1,1,3] -5 -6 -7; float[1,5] 0 2 0 5 0", "float[1,1,1,2] -7 0"},
        {"MaxRoiPool pooled_shape=1,1", "float[1,1,1,3] -5 -6 -7; float[1,5] 0 -1e30 -inf 1e30 inf",
         "float[1,1,1,1] -5"},
        {"MaxRoiPool pooled_shape=1,1", "float[1,1,1,3] 1 nan 2; float[1,5] 0 0 0 2 0", "float[1,1,1,1] nan"},
        {"MaxRoiPool pooled_shape=1,1", "float[1,1,1,3] 1 2 3; float[1,5] {1|-1|nan} 0 0 2 0", "", {.error = "images"}},
        {"MaxRoiPool pooled_shape=1,1", "float[1,1,1,3] 1 2 3; float[1,5] 0 nan 0 2 0", "", {.error = "NaN"}},
        {"MaxRoiPool pooled_shape=2,3", "float[1,4,5,5] random; float[0,5]", "float[0,4,2,3]"},
        {"MaxRoiPool pooled_shape=1,1", "float[1,1,0,3]; float[1,5] 0 0 0 2 0", "float[1,1,1,1] 0"},
        {"MaxRoiPool-22 pooled_shape={1|0,1|1,-1}", "float[1,1,1,3]; float[1,5]", "", {.error = "pooled_shape"}},
        {"MaxRoiPool-22 pooled_shape=1,1", "float[1,1,3]; float[1,5]", "", {.error = "*"}},
        {"MaxRoiPool-22 pooled_shape=1,1", "float[1,1,1,3]; float[1,4]", "", {.error = "*"}},
        {"MaxRoiPool-22 pooled_shape=2,3", "float[N,C,H,W]; float[R,5]", "float[R,C,2,3]"},
        {"MaxRoiPool-22 pooled_shape=2,3", "float; float", "float[?,?,2,3]"},
    });

}  // namespace
}  // namespace max_roi_pool_test_cc
}  // namespace norn::ops::cases
