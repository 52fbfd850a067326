// Elements of one type turned into another.
#pragma once
#include "opset/attrs.h"
#include "opset/infer_context.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Cast;

// The element type that a node of any version casts to. Throws norn::Error (InvalidGraph) if `to` names none.
DataType cast_target(const opset::Attrs& attrs);

// What is known of the first input's elements, converted: sizes stay known on their way through integer and floating
// types.
void cast_contents(opset::InferContext& ctx, DataType to);

}  // namespace norn::ops
