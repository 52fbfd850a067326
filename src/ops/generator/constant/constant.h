#pragma once
#include "norn/value.h"
#include "opset/attrs.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Constant;

// The tensor that a Constant node's attributes spell, a sparse one made dense. Throws norn::Error if not exactly one of
// the value attributes is given, or if its tensor's data is in an external file.
Tensor constant_value(const opset::Attrs& attrs);

}  // namespace norn::ops
