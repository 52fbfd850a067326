// Sizes of queries, keys and values that do not fit together.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace flex_attention_test_cc {
namespace {

const Cases cases("FlexAttention",
                  {
                      {"ai.onnx.preview.FlexAttention", "float[1,2,1,1] 3 4; float[1,1,1,1] 5; float[1,1,1,2] 7 8",
                       "float[1,2,1,2] 7 8 7 8"},
                      {"ai.onnx.preview.FlexAttention", "float[B,4,L,8]; float[B,2,S,8]; float[B,2,S,6]",
                       "float[B,4,L,6]"},
                      {"ai.onnx.preview.FlexAttention",
                       "float[2,4,3,8] random; float[2,2,5,8] random; float[2,1,5,6] random",
                       "",
                       {.error = "*"}},
                      {"ai.onnx.preview.FlexAttention",
                       "float[2,4,3,8] random; float[2,2,5,8] random; float[1,2,5,6] random",
                       "",
                       {.error = "*"}},
                      {"ai.onnx.preview.FlexAttention",
                       "float[2,4,3,8] random; float[2,2,5,8] random; float[2,2,4,6] random",
                       "",
                       {.error = "*"}},
                      {"ai.onnx.preview.FlexAttention",
                       "float[2,4,3,8] random; float[1,2,5,8] random; float[1,2,5,6] random",
                       "",
                       {.error = "*"}},
                      {"ai.onnx.preview.FlexAttention",
                       "float[2,4,3,8] random; float[2,2,5,7] random; float[2,2,5,6] random",
                       "",
                       {.error = "*"}},
                      {"ai.onnx.preview.FlexAttention",
                       "float[2,4,3,8] random; float[2,3,5,8] random; float[2,3,5,6] random",
                       "",
                       {.error = "*"}},
                      {"ai.onnx.preview.FlexAttention",
                       "float[2,4,3,8] random; float[2,2,5,8] random; float[2,2,5] random",
                       "",
                       {.error = "*"}},
                  });

}  // namespace
}  // namespace flex_attention_test_cc
}  // namespace norn::ops::cases
