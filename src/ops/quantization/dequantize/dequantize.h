// Narrow integers or floats to floating numbers, by scale and zero point.
#pragma once
#include "norn/types.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator DequantizeLinear;

// The output's type, for a scale of this type; Undefined if neither gives it.
DataType dequantized_type(const opset::NodeView& node, DataType scale);

}  // namespace norn::ops
