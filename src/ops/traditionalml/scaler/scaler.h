// (x - offset) * scale, for all columns or each.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Scaler;

// Of one element, or as many as the last axis has.
struct ScalerParams {
  std::vector<float> offset, scale;
};
ScalerParams resolve_scaler(const opset::NodeView& node, std::optional<std::int64_t> features);

}  // namespace norn::ops
