// Sums over the elements before each one, and sizes that do not fit together.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace causal_conv_with_state_test_cc {
namespace {

const Cases cases(
    "CausalConvWithState",
    {
        {"CausalConvWithState", "T[1,2,3] 1 2 3 10 20 30; T[2,1,2] 1 1 0 2", "T[1,2,3] 1 3 5 20 40 60; T[1,2,1] 3 30"},
        {"CausalConvWithState", "float[1,2,3] 1 2 3 10 20 30; float[2,1,2] 1 1 0 2; float[2] 0 100; float[1,2,1] 7 8",
         "float[1,2,3] 8 3 5 120 140 160; float[1,2,1] 3 30"},
        {"CausalConvWithState", "float[1,1,1] 5; float[1,1,3] 1 2 4; -; float[1,1,2] 1 2",
         "float[1,1,1] 25; float[1,1,2] 2 5"},
        {"CausalConvWithState", "float[2,1,0]; float[1,1,1] 3", "float[2,1,0]; float[2,1,0]"},
        {"CausalConvWithState", "float[N,C,L]; float[C,1,3]", "float[N,C,L]; float[N,C,2]"},
        {"CausalConvWithState", "float[2,4,6] random; float[2,2,3] random", "", {.error = "one channel"}},
        {"CausalConvWithState", "float[2,4,6] random; float[8,1,3] random", "", {.error = "axis 1 of input"}},
        {"CausalConvWithState", "float[2,4,6] random; float[1,4,3] random", "", {.error = "*"}},
        {"CausalConvWithState",
         "float[2,4,6] random; float[4,1,3] random; -; float[2,4,{1|3|5|0}] random",
         "",
         {.error = "axis 2 of past_state"}},
        {"CausalConvWithState",
         "float[2,4,6] random; float[4,1,3] random; -; float[1,4,2] random",
         "",
         {.error = "axis 0 of input"}},
        {"CausalConvWithState",
         "float[2,4,6] random; float[4,1,3] random; float[1] random",
         "",
         {.error = "axis 0 of bias"}},
        {"CausalConvWithState", "float[2,4,6] random; float[4,1,0]", "", {.error = "no elements"}},
        {"CausalConvWithState", "float[2,4,6,1] random; float[4,1,3,1] random", "", {.error = "rank"}},
        {"CausalConvWithState activation=relu",
         "float[2,4,6] random; float[4,1,3] random",
         "",
         {.error = "activation"}},
    });

}  // namespace
}  // namespace causal_conv_with_state_test_cc
}  // namespace norn::ops::cases
