// NonZero: the indices, row by row, name exactly the elements that are not zero.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace nonzero_test_cc {
namespace {

const Cases cases("NonZero",
                  {
                      {"NonZero", "T[2,3] 1 0 1 0 0 1", "int64[2,3] 0 0 1 0 2 2", {.types = "!string", .late = true}},
                      {"NonZero-13", "string[3] a \"\" 0", "int64[1,2] 0 2", {.late = true}},
                      {"NonZero", "float[3] nan -0 -inf", "int64[1,2] 0 2", {.late = true}},
                      {"NonZero", "float[] 2", "int64[0,1]", {.late = true}},
                      {"NonZero", "float[] 0", "int64[0,0]", {.late = true}},
                      {"NonZero", "float[2,0,3]", "int64[3,0]", {.late = true}},
                      {"NonZero-13", "float[N,3]", "int64[2,?]"},
                      {"NonZero-13", "float", "int64[?,?]"},
                  });

}  // namespace
}  // namespace nonzero_test_cc
}  // namespace norn::ops::cases
