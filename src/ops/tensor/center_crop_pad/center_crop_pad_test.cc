// CenterCropPad: the middle of each axis, by the definition of where it begins.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace center_crop_pad_test_cc {
namespace {

const Cases cases(
    "CenterCropPad",
    {
        {"CenterCropPad", "T[5] 1 2 3 4 5; Tind[1] 2", "T[2] 2 3", {.types = "!bool !string !complex64 !complex128"}},
        {"CenterCropPad", "float[2] 1 2; int64[1] 5", "float[5] 0 1 2 0 0"},
        {"CenterCropPad axes={1|-1}", "float[2,3] 1 2 3 4 5 6; int64[1] 1", "float[2,1] 2 5"},
        {"CenterCropPad", "float[2,3] 1 2 3 4 5 6; int32[2] 1 4", "float[1,4] 1 2 3 0"},
        {"CenterCropPad axes=[0,1]", "float[20,W,3]; int64[2] 10 8", "float[10,8,3]"},
        {"CenterCropPad axes=[-1,0]", "float[20,W,3]; int64[2] N 8", "float[8,W,N]"},
        {"CenterCropPad axes=1", "float[4,5]; int64[1]", "float[4,?]"},
        {"CenterCropPad axes=[1,1]", "float[2,3] random; int64[2] 1 1", "", {.error = "*"}},
        {"CenterCropPad axes=[0,1]", "float[2,3] random; int64[1] 1", "", {.error = "axes"}},
        {"CenterCropPad", "float[2,3] random; {int64[2] 1 -1|int32[2] -2 -3}", "", {.error = "*"}},
        {"CenterCropPad axes=1", "float[2,3] random; int64[1] -1", "", {.error = "*"}},
        {"CenterCropPad axes=1", "float[2,3] random; int64[1] 0", "float[2,0]"},
        {"CenterCropPad axes={2|-3}", "float[2,3] random; int64[1] 1", "", {.error = "*"}},
    });

}  // namespace
}  // namespace center_crop_pad_test_cc
}  // namespace norn::ops::cases
