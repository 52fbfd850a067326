// ArrayFeatureExtractor: elements written out, and x[..., y] of every type.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace array_feature_extractor_test_cc {
namespace {

void pick(Sample& s) {
  const auto& dims = s.in(0).dims;
  const auto& at = s.in(1).values;
  const std::int64_t n = dims.back(), k = static_cast<std::int64_t>(at.size());
  auto out = dims;
  out.back() = k;
  auto& z = s.out(0, out);
  for (std::size_t i = 0; i < z.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i) / k;
    z[i] = Sample::element(0, row * n + static_cast<std::int64_t>(at[i % static_cast<std::size_t>(k)]));
  }
}

const Cases all(
    "ArrayFeatureExtractor",
    {
        {"ai.onnx.ml.ArrayFeatureExtractor", "T[2,2,3] random; int64[{4|2,2|1,4}] 2 0 2 1", "", {.picks = pick}},
        {"ai.onnx.ml.ArrayFeatureExtractor", "string[3] a b c; int64[2] 2 0", "string[1,2] c a"},
        {"ai.onnx.ml.ArrayFeatureExtractor", "float[2,2] 1 2 3 4; int64[] 1", "float[2,1] 2 4"},
        {"ai.onnx.ml.ArrayFeatureExtractor", "float[2,2] 1 2 3 4; int64[0]", "float[2,0]"},
        {"ai.onnx.ml.ArrayFeatureExtractor", "float[0,2]; int64[1] 1", "float[0,1]"},
        {"ai.onnx.ml.ArrayFeatureExtractor", "float[2] 1 2; int64[2] -1 -2", "float[1,2] 2 1"},
        {"ai.onnx.ml.ArrayFeatureExtractor", "float[2] 1 2; int64[1] {-3|2|min|max}", "", {.error = "index"}},
        {"ai.onnx.ml.ArrayFeatureExtractor", "float[] 1; int64[1] 0", "", {.error = "scalar"}},
        {"ai.onnx.ml.ArrayFeatureExtractor", "float[N,M]; int64[K,2]", "float[N,2*K]"},
        {"ai.onnx.ml.ArrayFeatureExtractor", "float[N]; int64", "float[1,?]"},
        {"ai.onnx.ml.ArrayFeatureExtractor", "float; int64[2]", "float"},
    });

}  // namespace
}  // namespace array_feature_extractor_test_cc
}  // namespace norn::ops::cases
