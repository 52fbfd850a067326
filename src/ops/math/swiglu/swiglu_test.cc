// SwiGLU by values, and shapes that do not broadcast.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace swiglu_test_cc {
namespace {

const Cases cases(
    "SwiGLU",
    {
        {"SwiGLU", "float[3] 0 1 -1; float[3] 5 2 -3", "float[3] 0 1.4621172 0.80682427", {.tolerance = 1e-6}},
        {"SwiGLU alpha=0.0", "T[2,2] 1 2 3 4; T[2,2] 2 2 2 2", "T[2,2] 1 2 3 4"},
        {"SwiGLU", "float[] 0; float[] 3", "float[] 0"},
        {"SwiGLU", "float[0,3]; float[0,3]", "float[0,3]"},
        {"SwiGLU", "float[N,M]; float[N,4]", "float[N,4]"},
        {"SwiGLU", "float[2,1] random; float[2,3] random", "", {.error = "axis 1 of A"}},
        {"SwiGLU", "float[2,3] random; float[1,3] random", "", {.error = "axis 0 of A"}},
        {"SwiGLU", "float[3] random; float[2,3] random", "", {.error = "one shape"}},
    });

}  // namespace
}  // namespace swiglu_test_cc
}  // namespace norn::ops::cases
