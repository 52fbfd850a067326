// A convolution with a summand, which has its shape.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace fused_linear_test_cc {
namespace {

const Cases cases("FusedConv",
                  {
                      {"com.microsoft.FusedConv activation=Relu",
                       "float[1,1,3] 1 2 3; float[1,1,1] 2; float[1] -5; float[1,1,3] 0 1 2", "float[1,1,3] 0 0 3"},
                      {"com.microsoft.FusedConv", "float[N,3,H,W]; float[4,3,3,3]; -; float[N,4,H-2,W-2]",
                       "float[N,4,H - 2,W - 2]"},
                      {"com.microsoft.FusedConv",
                       "float[1,3,5,5] random; float[4,3,3,3] random; float[4] random; float[1,4,3,9] random",
                       "",
                       {.error = "*"}},
                      {"com.microsoft.FusedConv",
                       "float[1,3,5,5] random; float[4,3,3,3] random; float[4] random; float[1,1,3,3] random",
                       "",
                       {.error = "*"}},
                      {"com.microsoft.FusedConv",
                       "float[1,3,5,5] random; float[4,3,3,3] random; float[4] random; float[1,4,1,3] random",
                       "",
                       {.error = "*"}},
                      {"com.microsoft.FusedConv",
                       "float[1,3,5,5] random; float[4,3,3,3] random; float[4] random; float[1,4,3,1] random",
                       "",
                       {.error = "*"}},
                      {"com.microsoft.FusedConv",
                       "float[1,3,5,5] random; float[4,3,3,3] random; float[4] random; float[2,4,3,3] random",
                       "",
                       {.error = "*"}},
                      {"com.microsoft.FusedConv",
                       "float[1,3,5,5] random; float[4,3,3,3] random; float[4] random; float[4,3,3] random",
                       "",
                       {.error = "*"}},
                      {"com.microsoft.FusedConv",
                       "float[1,3,5,5] random; float[4,3,3,3] random; float[4] random; float[1,1,4,3,3] random",
                       "",
                       {.error = "*"}},
                      {"com.microsoft.FusedConv",
                       "float[1,3,5,5] random; float[4,3,3,3] random; float[4] random; float[1] random",
                       "",
                       {.error = "*"}},
                      {"com.microsoft.FusedConv",
                       "float[2,3,5,5] random; float[4,3,3,3] random; float[4] random; float[1,4,3,3] random",
                       "",
                       {.error = "*"}},
                  });

}  // namespace
}  // namespace fused_linear_test_cc
}  // namespace norn::ops::cases
