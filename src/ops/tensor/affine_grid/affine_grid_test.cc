// The identity map gives the places themselves; sizes and matrices of different dimensions are refused.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace affine_grid_test_cc {
namespace {

const Cases cases("AffineGrid",
                  {
                      {"AffineGrid align_corners=1", "T1[1,2,3] 1 0 0 0 1 0; int64[4] 1 1 2 2",
                       "T1[1,2,2,2] -1 -1 1 -1 -1 1 1 1"},
                      {"AffineGrid", "float[1,2,3] 1 0 0 0 1 0; int64[4] 1 3 1 2", "float[1,1,2,2] -0.5 0 0.5 0"},
                      {"AffineGrid align_corners=1", "float[1,3,4] 1 0 0 0 0 1 0 0 0 0 1 2; int64[5] 1 1 1 1 2",
                       "float[1,1,1,2,3] -1 -1 1 1 -1 1"},
                      {"AffineGrid", "float[N,2,3]; int64[4] N C H W", "float[N,H,W,2]"},
                      {"AffineGrid", "float[N,K,M]; int64[5]", "float[N,?,?,?,3]"},
                      {"AffineGrid", "float[2,2,3] random; int64[4] 2 3 0 5", "float[2,0,5,2]"},
                      {"AffineGrid", "float[2,2,3] random; int64[5] 2 3 4 5 6", "", {.error = "*"}},
                      {"AffineGrid", "float[2,2,3] random; int64[5] 2 3 4 4 4", "", {.error = "*"}},
                      {"AffineGrid", "float[2,2,3] random; int64[3] 2 3 4", "", {.error = "*"}},
                      {"AffineGrid", "float[2,2,3] random; int64[4] 7 3 4 5", "", {.error = "*"}},
                      {"AffineGrid", "float[1,2,3] random; int64[4] 7 3 4 5", "", {.error = "*"}},
                      {"AffineGrid", "float[2,{2,4|3,3|3,4|4,5}] random; int64[4] 2 3 4 5", "", {.error = "*"}},
                      {"AffineGrid", "float[2,2,3] random; int64[4] 2 3 -4 5", "", {.error = "*"}},
                      {"AffineGrid", "float[2,2,3,1] random; int64[4] 2 3 4 5", "", {.error = "*"}},
                  });

}  // namespace
}  // namespace affine_grid_test_cc
}  // namespace norn::ops::cases
