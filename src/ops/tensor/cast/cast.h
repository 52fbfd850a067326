// Elements of one type turned into another.
#pragma once
#include "ops/tensor/cast/cast_elements.h"
#include "opset/attrs.h"
#include "opset/infer_context.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Cast;

// The element type that a node of any version casts to. Throws norn::Error (InvalidGraph) if `to` names none.
DataType cast_target(const opset::Attrs& attrs);
struct CastParams {
  DataType to;
  bool saturate = true;
  E8M0Rounding rounding = E8M0Rounding::Up;
};
CastParams resolve_cast(const opset::NodeView& node);

// What is known of the first input's elements, converted: sizes stay known on their way through integer and floating
// types.
void cast_contents(opset::InferContext& ctx, DataType to);

}  // namespace norn::ops
