// By the text of ONNX 1.3: no other implementation is at hand.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace fill_test_cc {
namespace {

const Cases cases("Fill",
                  {
                      {"ConstantFill-1 shape=2,3 value=1.5", "", "float[2,3] 1.5 1.5 1.5 1.5 1.5 1.5"},
                      {"ConstantFill-1 shape=2 value=-1.5 dtype=6", "", "int32[2] -1 -1"},
                      {"ConstantFill-1 shape=2 value=3.0 dtype=7", "", "int64[2] 3 3"},
                      {"ConstantFill-1 shape=2 value=0.5 dtype=9", "", "bool[2] 1 1"},
                      {"ConstantFill-9 shape=2,0", "", "float[2,0]"},
                      {"ConstantFill-1", "T1[2,1] random", "float[2,1] 0 0"},
                      {"ConstantFill-1 extra_shape=2 value=4.0", "int64[1,2] 7 8", "float[1,2,2] 4 4 4 4"},
                      {"ConstantFill-1 extra_shape=0", "float[] 7", "float[0]"},
                      {"ConstantFill-1 input_as_shape=1 value=4.0 dtype=7", "{int64|int32}[2] 1 2", "int64[1,2] 4 4"},
                      {"ConstantFill-1 input_as_shape=1 extra_shape=2", "int64[1] 1", "float[1,2] 0 0"},
                      {"ConstantFill-1 input_as_shape=1", "int64[2] N 2*N", "float[N,2*N]"},
                      {"ConstantFill-1 extra_shape=5", "float[N,M]", "float[N,M,5]"},
                      {"ConstantFill-1 input_as_shape=1", "int64[2] 1 -2", "", {.error = "negative"}},
                      {"ConstantFill-1 input_as_shape=1", "bool[2] 1 1", "", {.error = "booleans"}},
                      {"ConstantFill-1 input_as_shape=1", "int64[1,1] 1", "", {.error = "rank"}},
                      {"ConstantFill-1 shape=2,-1", "", "", {.error = "negative"}},
                      {"ConstantFill-1", "", "", {.error = "neither an input"}},
                      {"ConstantFill-1 shape=2", "float[1]", "", {.error = "both an input"}},
                      {"ConstantFill-1 shape=2 extra_shape=2", "", "", {.error = "no input"}},
                      {"ConstantFill-1 shape=2 dtype={0|8|11|-1}", "", "", {.error = "dtype"}},
                      {"GivenTensorFill-1 shape=2,2 values=1.0,2.0,3.0,4.0", "", "float[2,2] 1 2 3 4"},
                      {"GivenTensorFill-1 values=1.0,2.0", "T[2,1] 5 6", "T[2,1] 1 2"},
                      {"GivenTensorFill-1 values=1.0,2.0 extra_shape=2,1", "T[1] 5", "T[1,2,1] 1 2"},
                      {"GivenTensorFill-1 values=1.0,2.0 input_as_shape=1", "T[2] 1 2", "T[1,2] 1 2", {.late = true}},
                      {"GivenTensorFill-1 values=1.0,2.0 input_as_shape=1 extra_shape=1",
                       "float[1] 2",
                       "float[2,1] 1 2",
                       {.late = true}},
                      {"GivenTensorFill-1 values=1.0,2.0 shape=3", "", "", {.error = "cannot fill"}},
                      {"GivenTensorFill-1 values=1.0,2.0 input_as_shape=1", "float[2] -1 2", "", {.error = "*"}},
                      {"GivenTensorFill-1 shape=2", "", "", {.error = "values"}},
                      {"GivenTensorFill-1", "float", "", {.error = "values"}},
                      {"ConstantFill-1 value=1e30 dtype=6", "float[N]", "", {.error = "cannot hold"}},
                  });

}  // namespace
}  // namespace fill_test_cc
}  // namespace norn::ops::cases
