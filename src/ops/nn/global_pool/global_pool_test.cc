#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace global_pool_test_cc {
namespace {

const Cases cases("GlobalPool", {
                                    {"GlobalAveragePool", "T[1,2,2,2] 1 2 3 6 -4 -3 -2 -1", "T[1,2,1,1] 3 -2.5"},
                                    {"GlobalMaxPool", "T[1,2,2,2] 1 2 3 6 -4 -3 -2 -1", "T[1,2,1,1] 6 -1"},
                                    {"GlobalMaxPool", "float[2,1] 4 5", "float[2,1] 4 5"},
                                    {"GlobalAveragePool-22", "float[1,1,0]", "float[1,1,1] nan"},
                                    {"GlobalMaxPool-22", "float[1,1,0]", "float[1,1,1] -inf"},
                                    {"GlobalMaxPool-22", "float[1,1,3] 1 nan 2", "float[1,1,1] nan"},
                                    {"GlobalMaxPool-22", "float[0,3,2,2]", "float[0,3,1,1]"},
                                    {"GlobalMaxPool-22", "float[2] 4 5", "", {.error = "*"}},
                                    {"GlobalMaxPool-22", "float[N,C,H,W]", "float[N,C,1,1]"},
                                });

}  // namespace
}  // namespace global_pool_test_cc
}  // namespace norn::ops::cases
