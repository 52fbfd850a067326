// Values that may be absent.
#pragma once
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Optional, OptionalGetElement, OptionalHasElement;

// The attribute type of Optional, or null. Throws where neither it nor a value is given.
const ir::Type* optional_type(const opset::NodeView& node);

}  // namespace norn::ops
