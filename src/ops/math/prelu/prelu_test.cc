// PRelu: the slope applies below 0.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace prelu_test_cc {
namespace {

// Before version 7 slopes went by channels.
const Cases cases("PRelu",
                  {
                      {"PRelu-7..", "float[2,3] -1 2 -3 4 -5 6; float[3] 2 3 4", "float[2,3] -2 2 -12 4 -15 6"},
                      {"PRelu-7..", "T[4] 0 1 2 3; T[1] 5", "T[4] 0 1 2 3"},
                      {"PRelu-7..", "float[1,2,2] -1 2 -3 4; float[2,1] 2 3", "float[1,2,2] -2 2 -9 4"},
                      {"PRelu-7..", "float[1,2,2] -1 2 -3 4; float[2] 2 3", "float[1,2,2] -2 2 -6 4"},
                      {"PRelu-7..", "double[2,2] -1 -2 -3 4; double[2,1] 0.5 2", "double[2,2] -0.5 -1 -6 4"},
                      {"PRelu-7..", "int64[3] -3 0 min; int64[] 2", "int64[3] -6 0 0"},
                      {"PRelu-7..", "float[3] nan inf -inf; float[] 0.5", "float[3] nan inf -inf"},
                      {"PRelu-7..", "float[0,3]; float[3] 1 2 3", "float[0,3]"},
                      {"PRelu-7..", "float[] -4; float[] 0.25", "float[] -1"},
                      {"PRelu-{1|6}", "float[1,2,2] -1 2 -3 -4; float[2] 2 3", "float[1,2,2] -2 2 -9 -12"},
                      {"PRelu-{1|6}", "float[2,2] -1 2 -3 -4; float[] 2", "float[2,2] -2 2 -6 -8"},
                      {"PRelu-16", "float[N,2*M]; float[2*M]", "float[N,2*M]"},
                      {"PRelu-16", "float; float[3]", "float"},
                      {"PRelu-{1|6}", "float[1,2,2]; float[2]", "float[1,2,2]"},
                      {"PRelu-{1|6}", "float[2,2] -1 2 -3 -4; float[1] 2", "float[2,2] -2 2 -6 -8"},
                      {"PRelu-{1|6}", "float[2] -1 2; float[1,1] 3", "float[2] -3 2"},
                      {"PRelu-{1|6}", "float[] -4; float[1] 0.25", "float[] -1"},
                      {"PRelu-{1|6}", "float[2] -1 2; float[2] 3 4", "float[2] -3 2"},
                      {"PRelu-{1|6}", "float[N,2]; float[M]", "float[N,2]"},
                      {"PRelu-{1|6}", "float[]; float[2,2,2]", "", {.error = "neither one number nor"}},
                      {"PRelu-{1|6}", "float[1,2,2]; float[3]", "", {.error = "neither one number nor"}},
                      {"PRelu-{1|6}", "float[1,1]; float[2,2]", "", {.error = "neither one number nor"}},
                      {"PRelu-16", "float[3]; float[2,3]", "", {.error = "does not broadcast"}},
                      {"PRelu-16", "float[2,3]; float[2]", "", {.error = "does not broadcast"}},
                  });

}  // namespace
}  // namespace prelu_test_cc
}  // namespace norn::ops::cases
