// Broadcasting to a given shape.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Expand;

}  // namespace norn::ops
