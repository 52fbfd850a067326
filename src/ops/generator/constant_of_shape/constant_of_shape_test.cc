// ConstantOfShape: contents that become a shape.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace constant_of_shape_test_cc {
namespace {

const Cases cases("ConstantOfShape", {
                                         {"ConstantOfShape value=(T2[1] 1)", "int64[2] 2 3", "T2[2,3] 1 1 1 1 1 1"},
                                         {"ConstantOfShape", "int64[0]", "float[] 0"},
                                         {"ConstantOfShape", "int64[2] 2 0", "float[2,0]"},
                                         {"ConstantOfShape-9", "int64[1] -1", "", {.error = "*"}},
                                         {"ConstantOfShape-9 value=(int64[2] 1 2)", "int64[1] 1", "", {.error = "*"}},
                                         {"ConstantOfShape-20", "int64[2] N 4", "float[N,4]"},
                                         {"ConstantOfShape-20", "int64[3]", "float[?,?,?]"},
                                         {"ConstantOfShape-20", "int64[K]", "float"},
                                         {"ConstantOfShape-20 value=(int64[1] -1)", "int64[1] 3", "int64[3] -1 -1 -1"},
                                         {"ConstantOfShape-20 value=(int64[1] 7)", "int64[0]", "int64[] 7"},
                                     });

}  // namespace
}  // namespace constant_of_shape_test_cc
}  // namespace norn::ops::cases
