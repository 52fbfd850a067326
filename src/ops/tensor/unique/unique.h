// The distinct elements, or slices along an axis.
#pragma once
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Unique;

// Whether the values come in ascending order, and not in that of appearance.
bool resolve_sorted(const opset::NodeView& node);

}  // namespace norn::ops
