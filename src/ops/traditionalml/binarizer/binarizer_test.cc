#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace binarizer_test_cc {
namespace {

const Cases all("Binarizer",
                {
                    {"ai.onnx.ml.Binarizer",
                     "{T[2,3] odd|T[0,3]|T[] random}",
                     "",
                     {.each = [](double x) { return x > 0 ? 1.0 : 0.0; }}},
                    {"ai.onnx.ml.Binarizer threshold=1.5",
                     "T[3] uniform -3 3",
                     "",
                     {.each = [](double x) { return 2 * x > 3 ? 1.0 : 0.0; }}},
                    {"ai.onnx.ml.Binarizer threshold=-1", "float[4] -1 -0.99 nan inf", "float[4] 0 1 0 1"},
                    {"ai.onnx.ml.Binarizer threshold=16777216", "int64[2] 16777216 16777217", "int64[2] 0 1"},
                    {"ai.onnx.ml.Binarizer threshold=9007199254740992",
                     "int64[3] 9007199254740992 9007199254740993 max", "int64[3] 0 1 1"},
                    {"ai.onnx.ml.Binarizer threshold={nan|inf|1e30}", "int64[2] min max", "int64[2] 0 0"},
                    {"ai.onnx.ml.Binarizer threshold={-inf|-1e30}", "int32[2] min max", "int32[2] 1 1"},
                    {"ai.onnx.ml.Binarizer", "double[N]", "double[N]"},
                    {"ai.onnx.ml.Binarizer", "string[2]", "", {.error = "*"}},
                });

}  // namespace
}  // namespace binarizer_test_cc
}  // namespace norn::ops::cases
