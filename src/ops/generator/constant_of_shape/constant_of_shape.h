#pragma once
#include <optional>

#include "ir/model.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator ConstantOfShape;

struct ConstantOfShapeParams {
  const ir::Tensor* value = nullptr;  // of one element; null: 0
  DataType elem = DataType::Float;
  std::optional<opset::Dims> shape;  // where it is known
};
// Throws norn::Error for a value that is none of the version's, and for negative sizes.
ConstantOfShapeParams resolve_constant_of_shape(const opset::NodeView& node);

}  // namespace norn::ops
