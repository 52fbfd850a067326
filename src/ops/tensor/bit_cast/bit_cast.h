// The same bits under another element type.
#pragma once
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator BitCast;

// The element type that elements of type `from` (Undefined if it is not known) become. Throws if the operator does not
// give it, or it has another width.
DataType bit_cast_target(const opset::NodeView& node, DataType from);

}  // namespace norn::ops
