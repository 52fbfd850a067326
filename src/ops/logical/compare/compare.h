// Comparison, element by element, into booleans.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Equal, Greater, GreaterOrEqual, Less, LessOrEqual;

}  // namespace norn::ops
