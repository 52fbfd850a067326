// Slices written into a copy of a tensor.
#pragma once
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator ScatterND;

// Throws unless data, indices and updates fit together.
void check_scatter_nd(const opset::NodeView& node);

}  // namespace norn::ops
