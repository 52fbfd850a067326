// Random tensors of a given shape, or of another tensor's.
#pragma once
#include "norn/types.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator RandomNormal, RandomNormalLike, RandomUniform, RandomUniformLike;

struct RandomParams {
  DataType type;
  norn::Shape shape;
};
RandomParams resolve_random(const opset::NodeView& node);
// The output's type where the input, which may be Undefined, has this one.
DataType random_like_type(const opset::NodeView& node, DataType input);

}  // namespace norn::ops
