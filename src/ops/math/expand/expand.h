// Broadcasting to a given shape.
#pragma once
#include <optional>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Expand;

// The shape to broadcast to, where it is known. Throws norn::Error for negative sizes.
std::optional<opset::Dims> resolve_expand(const opset::NodeView& node);

}  // namespace norn::ops
