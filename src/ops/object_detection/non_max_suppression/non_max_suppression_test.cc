// Rows of boxes as wide as high: a box of 10 that is moved by k has 10 - k of 10 + k in common with the other.
#include "ops/common/case.h"

namespace norn::ops::cases {
namespace {

#define BOXES "float[1,4,4] 0 0 10 10 0 1 10 11 0 5 10 15 0 20 10 30"
#define SCORES "float[1,1,4] 0.5 0.9 0.7 0.2"

const Cases cases(
    "NonMaxSuppression",
    {
        // Shares are 9/11 for 0 and 1, 1/3 for 0 and 2, 6/14 for 1 and 2.
        {"NonMaxSuppression", BOXES "; " SCORES "; int64[] 9; float[] 0.4", "int64[2,3] 0 0 1 0 0 3", {.late = true}},
        {"NonMaxSuppression",
         BOXES "; " SCORES "; int64[1] 9; float[1] 0.5",
         "int64[3,3] 0 0 1 0 0 2 0 0 3",
         {.late = true}},
        {"NonMaxSuppression",
         BOXES "; " SCORES "; int64[] 9; float[] 1",
         "int64[4,3] 0 0 1 0 0 2 0 0 0 0 0 3",
         {.late = true}},
        {"NonMaxSuppression", BOXES "; " SCORES "; int64[] 2; float[] 1", "int64[2,3] 0 0 1 0 0 2", {.late = true}},
        {"NonMaxSuppression", BOXES "; " SCORES "; int64[] 9", "int64[2,3] 0 0 1 0 0 3", {.late = true}},
        {"NonMaxSuppression",
         BOXES "; " SCORES "; int64[] 9; float[] 1; float[] 0.5",
         "int64[2,3] 0 0 1 0 0 2",
         {.late = true}},
        // Nothing is selected unless it is said how many.
        {"NonMaxSuppression", BOXES "; " SCORES, "int64[0,3]", {.late = true}},
        {"NonMaxSuppression", BOXES "; " SCORES "; int64[] {0|-1|min}; float[] 0.5", "int64[0,3]", {.late = true}},
        // An overlap of exactly the threshold stays; corners may be swapped.
        {"NonMaxSuppression",
         "float[1,2,4] 0 0 1 2 1 1 0 0; float[1,1,2] 2 1; int64[] 9; float[] 0.5",
         "int64[2,3] 0 0 0 0 0 1",
         {.late = true}},
        {"NonMaxSuppression",
         "float[1,2,4] 0 0 1 2 1 1 0 0; float[1,1,2] 2 1; int64[] 9; float[] 0.49",
         "int64[1,3] 0 0 0 ",
         {.late = true}},
        {"NonMaxSuppression center_point_box=1",
         "float[1,2,4] 1 0.5 2 1 0.5 0.5 1 1; float[1,1,2] 2 1; int64[] 9; float[] 0.5",
         "int64[2,3] 0 0 0 0 0 1",
         {.late = true}},
        {"NonMaxSuppression center_point_box=1",
         "float[1,2,4] 1 0.5 2 1 0.5 0.5 1 1; float[1,1,2] 2 1; int64[] 9; float[] 0.49",
         "int64[1,3] 0 0 0 ",
         {.late = true}},
        // Equal scores; NaN; boxes without area overlap nothing.
        {"NonMaxSuppression",
         "float[1,3,4] 0 0 1 1 0 0 1 1 5 5 6 6; float[1,1,3] 1 1 1; int64[] 9; float[] 0.5",
         "int64[2,3] 0 0 0 0 0 2",
         {.late = true}},
        {"NonMaxSuppression",
         "float[1,3,4] 0 0 1 1 2 2 3 3 5 5 6 6; float[1,1,3] nan -inf 1; int64[] 9",
         "int64[3,3] 0 0 2 0 0 1 0 0 0",
         {.late = true}},
        {"NonMaxSuppression",
         "float[1,3,4] 0 0 1 1 2 2 3 3 5 5 6 6; float[1,1,3] nan -inf 1; int64[] 9; -; float[] -9",
         "int64[1,3] 0 0 2",
         {.late = true}},
        {"NonMaxSuppression",
         "float[1,2,4] 0 0 0 1 0 0 0 1; float[1,1,2] 1 1; int64[] 9",
         "int64[2,3] 0 0 0 0 0 1",
         {.late = true}},
        {"NonMaxSuppression",
         "float[2,1,4] 0 0 1 1 0 0 1 1; float[2,2,1] 4 3 2 1; int64[] 1",
         "int64[4,3] 0 0 0 0 1 0 1 0 0 1 1 0",
         {.late = true}},
        {"NonMaxSuppression", "float[1,0,4]; float[1,2,0]; int64[] 1", "int64[0,3]", {.late = true}},
        {"NonMaxSuppression", "float[0,1,4]; float[0,2,1]; int64[] 1", "int64[0,3]", {.late = true}},
        {"NonMaxSuppression", BOXES "; " SCORES "; int64[] 9; float[] {nan|-0.5|1.5}", "", {.error = "iou_threshold"}},
        {"NonMaxSuppression", BOXES "; " SCORES "; int64[2] 9 9", "", {.error = "one number"}},
        {"NonMaxSuppression center_point_box=2", BOXES "; " SCORES, "", {.error = "center_point_box"}},
        {"NonMaxSuppression", "float[1,4,5]; float[1,1,4]", "", {.error = "*"}},
        {"NonMaxSuppression", "float[1,4,4]; float[2,1,4]", "", {.error = "batches"}},
        {"NonMaxSuppression", "float[1,4,4]; float[1,1,5]", "", {.error = "boxes"}},
        {"NonMaxSuppression", "float[4,4]; float[1,1,5]", "", {.error = "*"}},
        {"NonMaxSuppression-11", "float[B,N,4]; float[B,C,N]; int64; float; float", "int64[?,3]"},
        {"NonMaxSuppression-11", "float; float", "int64[?,3]"},
    });

}  // namespace
}  // namespace norn::ops::cases
