// The operators of this slice, for other rooms to name.
#pragma once
#include <cstdint>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator LpNormalization;

struct LpNormalizationParams {
  std::int64_t axis;  // counted from the front
  std::int64_t p;     // 1 or 2
};
LpNormalizationParams resolve_lp_normalization(const opset::NodeView& node, std::int64_t rank);

}  // namespace norn::ops
