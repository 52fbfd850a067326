// Floating numbers to narrow integers or floats, by scale and zero point.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator QuantizeLinear;

}  // namespace norn::ops
