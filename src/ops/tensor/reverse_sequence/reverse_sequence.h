// The first elements of each batch entry in reverse order.
#pragma once
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator ReverseSequence;

// Whether axis 0 is that of the batch and 1 that of time, not the other way round. Throws if they are neither.
bool batch_is_first(const opset::NodeView& node);

}  // namespace norn::ops
