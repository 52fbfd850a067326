// Shift of integers' bits.
#pragma once
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator BitShift;

// The attribute `direction`; throws if it is neither "LEFT" nor "RIGHT".
bool shifts_left(const opset::NodeView& node);

}  // namespace norn::ops
