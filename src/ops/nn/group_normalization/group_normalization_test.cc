// Normalised groups of two elements are -1 and 1.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace group_normalization_test_cc {
namespace {

const Cases cases("GroupNormalization",
                  {
                      {"GroupNormalization num_groups=2 epsilon=0.0",
                       "float[1,4,1] 1 3 10 2; float[4] 1 2 3 4; float[4] 0 0 0 1",
                       "float[1,4,1] -1 2 3 -3",
                       {.tolerance = 1e-6}},
                      {"GroupNormalization num_groups=1 epsilon=0.0",
                       "float[2,2] 1 3 5 1; float[2] 1 1; float[2] 0 0",
                       "float[2,2] -1 1 1 -1",
                       {.tolerance = 1e-6}},
                      {"GroupNormalization num_groups=2", "float[N,C,H]; float[4]; float", "float[N,4,H]"},
                      {"GroupNormalization num_groups=3",
                       "float[2,4,3] random; float[4] random; float[4] random",
                       "",
                       {.error = "does not divide"}},
                      {"GroupNormalization num_groups=8",
                       "float[2,4,6] random; float[4] random; float[4] random",
                       "",
                       {.error = "does not divide"}},
                      {"GroupNormalization num_groups=2",
                       "float[2,4,6] random; float[2] random; float[4] random",
                       "",
                       {.error = "axis 0 of scale"}},
                      {"GroupNormalization num_groups=2",
                       "float[2,4,6] random; float[4] random; float[1] random",
                       "",
                       {.error = "axis 0 of bias"}},
                      {"GroupNormalization num_groups=2",
                       "float[2,4,6] random; float[4,1] random; float[4] random",
                       "",
                       {.error = "rank"}},
                      {"GroupNormalization num_groups=1",
                       "float[4] random; float[4] random; float[4] random",
                       "",
                       {.error = "channel axis"}},
                      {"GroupNormalization num_groups={0|-1}",
                       "float[2,4,6] random; float[4] random; float[4] random",
                       "",
                       {.error = "positive"}},
                      {"GroupNormalization-21 num_groups=2 stash_type=7",
                       "float[N,4,L]; float[4]; float[4]",
                       "",
                       {.error = "stash_type is 7"}},
                  });

}  // namespace
}  // namespace group_normalization_test_cc
}  // namespace norn::ops::cases
