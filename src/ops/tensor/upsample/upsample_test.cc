#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace upsample_test_cc {
namespace {

const Cases cases(
    "Upsample",
    {
        {"Upsample-9",
         "T[2,2] 1 2 3 4; float[2] 2 3",
         "T[4,6] 1 1 1 2 2 2 1 1 1 2 2 2 3 3 3 4 4 4 3 3 3 4 4 4",
         {.types = "floats signed unsigned", .late = true}},
        {"Upsample-9", "string[2] a b; float[1] 2", "string[4] a a b b", {.late = true}},
        {"Upsample-9 mode=linear", "float[1,2] 1 2; float[2] 2 2", "float[2,4] 1 1.5 2 2 1 1.5 2 2", {.late = true}},
        {"Upsample-9", "float[1,3] 1 2 3; float[2] 1 1.5", "float[1,4] 1 1 2 3", {.late = true}},
        {"Upsample-9", "float[] 4; float[0]", "float[] 4"},
        {"Upsample-9", "float[0,2]; float[2] 1 2", "float[0,4]", {.late = true}},
        {"Upsample-7 scales=1,2", "T[1,2] 1 0", "T[1,4] 1 1 0 0", {.types = "floats bool"}},
        {"Upsample-1 height_scale=1 width_scale=2.0 mode=nearest", "T[1,1,1,2] 1 0", "T[1,1,1,4] 1 1 0 0"},
        {"Upsample-1 height_scale=1 width_scale=2.0 mode=bilinear", "float[1,1,1,2] 1 2", "float[1,1,1,4] 1 1.5 2 2"},
        {"Upsample-7 scales=1,2", "float[2] 1 0", "", {.error = "scales has 2"}},
        {"Upsample-7 scales={0.5|nan|-1|inf}", "float[2] 1 0", "", {.error = "*"}},
        {"Upsample-9", "float[2] 1 0; float[1] {0|-1|nan|inf}", "", {.error = "*"}},
        {"Upsample-9", "float[2] 1 0; float[2] 1 2", "", {.error = "scales has 2"}},
        {"Upsample-7 scales=1 mode=cubic", "float[2] 1 0", "", {.error = "nearest or linear"}},
        {"Upsample-1 height_scale=1 width_scale=2", "float[2,2] 1 2 3 4", "", {.error = "*"}},
        {"Upsample-7 scales=1,1,2,1.5", "float[N,C,H,W]", "float[N,C,2*H,floor(3*W/2)]"},
        {"Upsample-9", "float[N,M]; float[2]", "float[?,?]", {.late = true}},
        {"Upsample-9",
         "float[2] 1 0; float[1] 2",
         "float[4] 1 1 0 0",
         {.late = true, .to = 10, .becomes = "Resize-10"}},
        {"Upsample-9", "float[1,1,1,2] 1 0; float[4] 1 1 1 2", "float[1,1,1,4] 1 1 0 0", {.down_to = 1, .late = true}},
        {"Upsample-9", "float[2] 1 0; float[1] 2", "float[4] 1 1 0 0", {.down_to = 7, .late = true}},
    });

}  // namespace
}  // namespace upsample_test_cc
}  // namespace norn::ops::cases
