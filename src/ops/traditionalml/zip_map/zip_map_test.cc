// ZipMap: a map for each row.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace zip_map_test_cc {
namespace {

const Cases cases("ZipMap", {
                                {"ai.onnx.ml.ZipMap classlabels_strings=[a,b]", "float[2,2] 1 2 3 4",
                                 "seq(map(string[2] a b | float[2] 1 2) | map(string[2] a b | float[2] 3 4))"},
                                {"ai.onnx.ml.ZipMap classlabels_int64s=[7,-1]", "float[2] 1 2",
                                 "seq(map(int64[2] 7 -1 | float[2] 1 2))"},
                                {"ai.onnx.ml.ZipMap classlabels_int64s=7", "float[0,1]", "seq()"},
                                {"ai.onnx.ml.ZipMap classlabels_int64s=7", "float[1,2] 1 2", "", {.error = "columns"}},
                                {"ai.onnx.ml.ZipMap classlabels_int64s=7", "float[] 1", "", {.error = "*"}},
                                {"ai.onnx.ml.ZipMap", "float[1] 1", "", {.error = "exactly one"}},
                                {"ai.onnx.ml.ZipMap classlabels_int64s=7", "float[N,2]", "", {.error = "columns"}},
                                {"ai.onnx.ml.ZipMap classlabels_int64s=7", "float", "seq(map(int64,float[]))"},
                                {"ai.onnx.ml.ZipMap classlabels_strings=a", "float[N,1]", "seq(map(string,float[]))"},
                            });

}  // namespace
}  // namespace zip_map_test_cc
}  // namespace norn::ops::cases
