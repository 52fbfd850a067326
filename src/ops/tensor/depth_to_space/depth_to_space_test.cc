// Blocks by values; sizes that blocks do not divide are refused, of tensors without elements too.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace depth_to_space_test_cc {
namespace {

const Cases cases(
    "DepthToSpace",
    {
        {"DepthToSpace blocksize=2",
         "T[1,4,1,2] 0 1 2 3 4 5 6 7",
         "T[1,1,2,4] 0 2 1 3 4 6 5 7",
         {.types = "!bool !string !complex64 !complex128"}},
        {"DepthToSpace-11.. blocksize=2 mode=CRD", "float[1,8,1,1] 0 1 2 3 4 5 6 7", "float[1,2,2,2] 0 1 2 3 4 5 6 7"},
        {"SpaceToDepth blocksize=2",
         "T[1,1,2,4] 0 2 1 3 4 6 5 7",
         "T[1,4,1,2] 0 1 2 3 4 5 6 7",
         {.types = "!bool !string !complex64 !complex128"}},
        {"DepthToSpace blocksize=2", "float[0,8,3,5]", "float[0,2,6,10]"},
        {"DepthToSpace blocksize=2", "float[N,8,H,W]", "float[N,2,2*H,2*W]"},
        {"SpaceToDepth blocksize=2", "float[N,C,2*H,4]", "float[N,4*C,H,2]"},
        {"DepthToSpace blocksize=2", "float[1,8,4,4,1] random", "", {.error = "rank"}},
        {"SpaceToDepth blocksize=2", "float[1,8,4,4,1] random", "", {.error = "rank"}},
        {"DepthToSpace blocksize=2", "float[1,8,4] random", "", {.error = "rank"}},
        {"DepthToSpace blocksize=2", "float[1,6,3,3] random", "", {.error = "channels"}},
        {"SpaceToDepth blocksize=2", "float[1,8,3,4] random", "", {.error = "rows"}},
        {"SpaceToDepth blocksize=2", "float[1,8,4,3] random", "", {.error = "columns"}},
        {"DepthToSpace blocksize=2", "float[0,6,3,3]", "", {.error = "channels"}},
        {"DepthToSpace blocksize=2", "float[1,6,0,3]", "", {.error = "channels"}},
        {"SpaceToDepth blocksize=2", "float[{0,6,3,4|1,0,3,2|1,2,3,0}]", "", {.error = "rows"}},
        {"SpaceToDepth blocksize=2", "float[0,6,4,3]", "", {.error = "columns"}},
        {"DepthToSpace blocksize={0|-2|3037000500|4294967296}", "float[1,8,4,4] random", "", {.error = "blocksize"}},
        // Before anything runs.
        {"DepthToSpace-11.. blocksize=2 mode=crd", "float[1,8,4,4]", "", {.error = "DCR or CRD"}},
        {"SpaceToDepth-28 blocksize=2 mode=RCD", "float[1,2,4,4]", "", {.error = "DCR or CRD"}},
        {"DepthToSpace blocksize={0|3037000500}", "float", "", {.error = "blocksize"}},
    });

}  // namespace
}  // namespace depth_to_space_test_cc
}  // namespace norn::ops::cases
