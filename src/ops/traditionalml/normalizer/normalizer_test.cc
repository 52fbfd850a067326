// Normalizer: rows divided by the largest element, the sum of magnitudes, and the length; ONNX Runtime gives the same.
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace normalizer_test_cc {
namespace {

void normalize(Sample& s) {
  const auto& x = s.in(0);
  const std::int64_t n = x.dims.back();
  auto& y = s.out(0, x.dims);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto first = static_cast<std::int64_t>(i) / n * n;
    double most = -1e300, sum = 0, squares = 0;
    for (std::int64_t k = first; k < first + n; ++k) {
      const double v = x.values[static_cast<std::size_t>(k)];
      most = std::max(most, v);
      sum += v < 0 ? -v : v;
      squares += v * v;
    }
    const double by = s.word("norm") == "L1" ? sum : s.word("norm") == "L2" ? std::sqrt(squares) : most;
    y[i] = by == 0 ? x.values[i] : x.values[i] / by;
  }
}

const Cases all("Normalizer",
                {
                    {"ai.onnx.ml.Normalizer norm={MAX|L1|L2}", "T[3,4] random", "float[3,4]", {.formula = normalize}},
                    {"ai.onnx.ml.Normalizer norm={MAX|L1|L2}", "T[5] random", "float[5]", {.formula = normalize}},
                    {"ai.onnx.ml.Normalizer norm={MAX|L1|L2}", "T[4,1] random", "float[4,1]", {.formula = normalize}},
                    {"ai.onnx.ml.Normalizer norm=MAX", "float[3,3] 1 -3 2 0 0 0 -1 -2 -4",
                     "float[3,3] 0.5 -1.5 1 0 0 0 1 2 4"},
                    {"ai.onnx.ml.Normalizer", "float[2,2] 0 -2 -0 -0", "float[2,2] 0 -2 -0 -0"},
                    {"ai.onnx.ml.Normalizer norm=L1", "int64[1,2] -1 3", "float[1,2] -0.25 0.75"},
                    {"ai.onnx.ml.Normalizer norm=L2", "double[1,2] 3e200 -4e200", "float[1,2] 0.6 -0.8"},
                    {"ai.onnx.ml.Normalizer norm={MAX|L1|L2}",
                     "{float[0,3]|float[1099511627776,0]|float[0]}",
                     "",
                     {.formula = normalize}},
                    {"ai.onnx.ml.Normalizer norm=l1", "float[1] 1", "", {.error = "norm"}},
                    {"ai.onnx.ml.Normalizer", "{float[] 1|float[1,1,1] 1}", "", {.error = "*"}},
                    {"ai.onnx.ml.Normalizer", "int64[N,3]", "float[N,3]"},
                    {"ai.onnx.ml.Normalizer", "double", "float"},
                });

}  // namespace
}  // namespace normalizer_test_cc
}  // namespace norn::ops::cases
