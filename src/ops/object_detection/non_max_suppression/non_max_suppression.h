// The operators of this slice, for other rooms to name.
#pragma once
#include <cstdint>
#include <optional>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator NonMaxSuppression;

// Numbers that are left out, or not known, have the specification's defaults.
struct NonMaxSuppressionParams {
  bool centered = false;  // boxes are centres and sizes, not corners
  std::int64_t most = 0;  // boxes of a class
  float overlap = 0;      // from which a box is left out
  std::optional<float> least_score;
};
NonMaxSuppressionParams resolve_non_max_suppression(const opset::NodeView& node);

}  // namespace norn::ops
