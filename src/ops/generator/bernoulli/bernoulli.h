// Ones with given probabilities, zeros else.
#pragma once
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Bernoulli;

// The output's type where the input, which may be Undefined, has this one.
DataType bernoulli_type(const opset::NodeView& node, DataType input);

}  // namespace norn::ops
