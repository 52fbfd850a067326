// Support vector machines.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "ops/common/scores.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator SVMClassifier, SVMRegressor;

enum class SvmKernel : std::uint8_t { Linear, Poly, Rbf, Sigmoid };
// Without support vectors (count is 0) a model is linear, whatever its kernel.
struct SvmParams {
  std::vector<float> coefficients, vectors, rho;
  PostTransform transform;
  SvmKernel kernel = SvmKernel::Linear;
  float gamma = 0, coef0 = 0, degree = 0;
  std::int64_t count = 0, features = 0;
  bool one_class = false;
  // Of a classifier.
  Labels labels = {};
  std::vector<std::int64_t> per_class = {};
  std::vector<float> prob_a = {}, prob_b = {};

  // Of a classifier's scores: one for each class; without probabilities, one for each pair of classes, and of the only
  // pair there is two.
  std::int64_t columns() const;
};
SvmParams resolve_svm_classifier(const opset::NodeView& node);
SvmParams resolve_svm_regressor(const opset::NodeView& node);
// What the scores of a row are made of: of a classifier with vectors, a sum for each pair of classes (0, 1), (0, 2),
// ...; else the only one.
std::vector<double> svm_sums(const SvmParams& p, std::span<const double> x);

}  // namespace norn::ops
