// Where `Shape` alone means this operator, the type is spelled norn::Shape.
#pragma once
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Shape;
extern const opset::Operator Size;

// The dimensions [first, last) that a node of Shape gives.
struct ShapeParams {
  std::int64_t first, last;
};
ShapeParams resolve_shape(const opset::NodeView& node, std::int64_t rank);

}  // namespace norn::ops
