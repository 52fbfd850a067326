// An identity matrix of another matrix's shape.
#pragma once
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator EyeLike;

// The output's element type: the attribute `dtype`, else the input's. Throws if the operator does not give it.
DataType eye_like_type(const opset::NodeView& node, DataType input);

}  // namespace norn::ops
