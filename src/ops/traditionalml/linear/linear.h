// Linear models.
#pragma once
#include <cstdint>
#include <vector>

#include "ops/common/scores.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator LinearClassifier, LinearRegressor;

struct LinearParams {
  std::vector<float> coefficients;  // [scores, features]
  std::vector<float> intercepts;    // by score, or empty
  Labels labels;                    // of a classifier
  PostTransform transform;
  std::int64_t scores = 0, features = 0;
};
LinearParams resolve_linear_classifier(const opset::NodeView& node);
LinearParams resolve_linear_regressor(const opset::NodeView& node);

}  // namespace norn::ops
