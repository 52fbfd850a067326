// Distances, and rows that are not of one length.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace earlier_forms_test_cc {
namespace {

const Cases cases(
    "CDist", {
                 {"com.microsoft.CDist", "float[2,2] 0 0 3 4; float[1,2] 0 0", "float[2,1] 0 25", {.tolerance = 1e-5}},
                 {"com.microsoft.CDist metric=euclidean",
                  "float[2,1] 0 3; float[2,1] 0 7",
                  "float[2,2] 0 7 3 4",
                  {.tolerance = 1e-5}},
                 {"com.microsoft.CDist", "float[N,4]; float[M,K]", "float[N,M]"},
                 {"com.microsoft.CDist", "float[3,{1|3}] random; float[5,4] random", "", {.error = "axis 1 of A"}},
                 {"com.microsoft.CDist", "float[3,4] random; float[5,1] random", "", {.error = "axis 1 of A"}},
                 {"com.microsoft.CDist", "float[4] random; float[5,4] random", "", {.error = "rank"}},
             });

}  // namespace
}  // namespace earlier_forms_test_cc
}  // namespace norn::ops::cases
