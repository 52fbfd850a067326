// Derivatives of a value with respect to other values, as a node of the graph.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Gradient;

}  // namespace norn::ops
