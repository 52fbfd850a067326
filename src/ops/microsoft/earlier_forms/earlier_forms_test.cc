// Operators that ONNX Runtime had before ONNX had its own.
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
namespace {

// |a - b|^2, or its root.
void distances(Sample& s) {
  const Numbers &a = s.in(0), &b = s.in(1);
  const std::int64_t n = a.dims[0], m = b.dims[0], depth = a.dims[1];
  auto& y = s.out(0, {n, m});
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < m; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k < depth; ++k) sum += std::pow(a.at({i, k}) - b.at({j, k}), 2);
      y[static_cast<std::size_t>(i * m + j)] = s.word("metric") == "euclidean" ? std::sqrt(sum) : sum;
    }
  }
}

const Cases cases("EarlierForms",
                  {
                      {"com.microsoft.ExpandDims", "int32[2] 3 4; int32[{|1}] {1|-1}", "int32[2,1] 3 4"},
                      {"com.microsoft.ExpandDims", "string[2] a b; int32[] 0", "string[1,2] a b"},
                      {"com.microsoft.ExpandDims", "int32[2] 3 4; int32[] 3", "", {.error = "*"}},
                      {"com.microsoft.Trilu upper=0", "float[2,2] 1 2 3 4; int64[{|1}] -1", "float[2,2] 0 0 3 0"},
                      {"com.microsoft.Trilu", "int64[2,2] 1 2 3 4", "int64[2,2] 1 2 0 4"},
                      {"com.microsoft.Pad", "float[3,2] 1 2 3 4 5 6; int64[4] 0 2 0 0; -",
                       "float[3,4] 0 0 1 2 0 0 3 4 0 0 5 6"},
                      {"com.microsoft.Pad", "float[1] 1; int64[1,2] 1 0; float[1] 7", "float[2] 7 1"},
                      {"com.microsoft.Pad mode=edge", "double[2] 1 2; int64[2] 1 1", "double[4] 1 1 2 2"},
                      {"com.microsoft.GatherND", "float[2,2] 0 1 2 3; {int32|int64}[2,2] 0 0 1 1", "float[2] 0 3"},
                      {"com.microsoft.Range", "int32[] 1; int32[{|1}] 4", "int32[3] 1 2 3"},
                      {"com.microsoft.Range", "float[] 1; float[1] 0; float[1] -0.5", "float[2] 1 0.5"},
                      {"com.microsoft.CDist metric={euclidean|sqeuclidean}",
                       "T[4,3] random 1; T[5,3] random 2",
                       "",
                       {.formula = distances, .tolerance = 1e-5}},
                      {"com.microsoft.CDist", "float[2,1] 0 3; float[1,1] 1", "float[2,1] 1 4"},
                      {"com.microsoft.CDist metric=cosine", "float[2,1] 0 3; float[1,1] 1", "", {.error = "metric"}},
                  });

}  // namespace
}  // namespace norn::ops::cases
