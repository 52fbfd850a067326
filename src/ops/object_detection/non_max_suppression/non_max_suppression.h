// The operators of this slice, for other rooms to name.
#pragma once
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator NonMaxSuppression;

// The attribute center_point_box: boxes are centres and sizes, not corners. Throws if it is neither.
bool boxes_are_centered(const opset::NodeView& node);

}  // namespace norn::ops
