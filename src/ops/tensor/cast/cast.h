// Elements of one type turned into another.
#pragma once
#include "opset/attrs.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Cast;

// The element type that a node of any version casts to. Throws norn::Error (InvalidGraph) if `to` names none.
DataType cast_target(const opset::Attrs& attrs);

}  // namespace norn::ops
