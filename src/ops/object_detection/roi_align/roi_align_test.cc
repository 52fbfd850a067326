// Of a plane that rises evenly, the average over a region inside is its middle. Other values are those of onnx's
// evaluator.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace roi_align_test_cc {
namespace {

#define OLD "coordinate_transformation_mode=output_half_pixel"

const Cases cases(
    "RoiAlign",
    {
        // Elements are 4 * row + column; bins of 1 x 1 around (1, 1), (1, 2), (2, 1), (2, 2), moved by a half.
        {"RoiAlign-16.. output_height=2 output_width=2 sampling_ratio={0|1|2}",
         "T1[1,1,4,4] iota; T1[1,4] 1 1 3 3; int64[1] 0", "T1[1,1,2,2] 5 6 9 10"},
        {"RoiAlign-16.. output_height=1 output_width=2 sampling_ratio={1|2} spatial_scale=0.5 " OLD,
         "float[2,1,4,4] iota; float[2,4] 2 2 6 4 0 2 4 6; int64[2] 0 1", "float[2,1,1,2] 7.5 8.5 24.5 25.5"},
        {"RoiAlign-10 output_height=2 output_width=2", "T1[1,2,3,3] iota; T1[1,4] 0.5 0.5 1.5 1.5; int64[1] 0",
         "T1[1,2,2,2] 3 3.5 4.5 5 12 12.5 13.5 14"},
        // Before version 16 a region is at least one element wide.
        {"RoiAlign-10", "float[1,1,3,3] iota; float[1,4] 1 1 1 0; int64[1] 0", "float[1,1,1,1] 6"},
        {"RoiAlign-16..", "float[1,1,3,3] iota; float[1,4] 1 1 1 0; int64[1] 0", "float[1,1,1,1] 0"},
        // The largest product of an element and its weight, 0 if a sample is outside.
        {"RoiAlign-16.. mode=max sampling_ratio=1", "float[1,1,2,2] 1 2 3 8; float[1,4] 0 0 2 2; int64[1] 0",
         "float[1,1,1,1] 2"},
        {"RoiAlign-16.. mode=max sampling_ratio=1 " OLD, "float[1,1,2,2] 1 2 3 -8; float[1,4] 0 0 2 2; int64[1] 0",
         "float[1,1,1,1] 0"},
        {"RoiAlign-16.. mode={avg|max} sampling_ratio=2 " OLD,
         "float[1,1,2,2] -1 -2 -3 -8; float[1,4] 50 50 60 60; int64[1] 0", "float[1,1,1,1] 0"},
        // Regions of any size; turned inside out; nowhere.
        {"RoiAlign-16.. " OLD,
         "double[1,1,1,1] 8; double[1,4] -1e15 -1e15 1e15 1e15; int64[1] 0",
         "double[1,1,1,1] 0",
         {.tolerance = 1e-6}},
        {"RoiAlign-16.. mode={avg|max} " OLD, "double[1,1,1,1] 8; double[1,4] -1e300 -1e30 1e300 1e30; int64[1] 0",
         "double[1,1,1,1] 0"},
        {"RoiAlign-16.. mode={avg|max}", "float[1,1,1,1] 8; float[1,4] 0 {nan|inf} 1 1; int64[1] 0",
         "float[1,1,1,1] nan"},
        {"RoiAlign-16.. sampling_ratio=65536",
         "float[1,1,2,2] 1 1 1 1; float[1,4] 0 0 1 1; int64[1] 0",
         "float[1,1,1,1] 1",
         {.tolerance = 1e-6}},
        {"RoiAlign-16.. output_height=2", "float[1,3,4,4] random; float[0,4]; int64[0]", "float[0,3,2,1]"},
        {"RoiAlign-16..", "float[1,1,0,4]; float[1,4] 0 0 1 1; int64[1] 0", "float[1,1,1,1] 0"},
        {"RoiAlign-16..", "float[1,1,1,1] 8; float[1,4] 0 0 1 1; int64[1] {1|-1}", "", {.error = "batch_indices"}},
        {"RoiAlign-16.. {mode=sum|coordinate_transformation_mode=none}",
         "float[1,1,1,1]; float[1,4]; int64[1]",
         "",
         {.error = "it has to be"}},
        {"RoiAlign-16.. {output_height=0|output_width=-1|sampling_ratio=-1|sampling_ratio=9223372036854775807}",
         "float[1,1,1,1]; float[1,4]; int64[1]",
         "",
         {.error = "has to be from"}},
        {"RoiAlign-16..", "float[1,1,1]; float[1,4]; int64[1]", "", {.error = "*"}},
        {"RoiAlign-16..", "float[1,1,1,1]; float[1,5]; int64[1]", "", {.error = "*"}},
        {"RoiAlign-16..", "float[1,1,1,1]; float[1,4]; int64[2]", "", {.error = "*"}},
        {"RoiAlign-22 output_height=7 output_width=5", "float[N,C,H,W]; float[R,4]; int64[R]", "float[R,C,7,5]"},
        {"RoiAlign-22", "float; float; int64", "float[?,?,1,1]"},
        {"RoiAlign-22 " OLD, "float[1,1,1,1] 8; float[1,4] 0 0 1 1; int64[1] 0", "float[1,1,1,1] 8", {.down_to = 10}},
        {"RoiAlign-22", "float[1,1,1,1] 8; float[1,4] 0 0 1 1; int64[1] 0", "float[1,1,1,1] 8", {.down_to = 16}},
    });

}  // namespace
}  // namespace roi_align_test_cc
}  // namespace norn::ops::cases
