// Tensors joined along one axis.
#pragma once
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Concat;

// The axis along which inputs of rank `rank` are joined, counted from the front.
std::int64_t resolve_concat(const opset::NodeView& node, std::int64_t rank);

}  // namespace norn::ops
