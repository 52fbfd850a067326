// Narrow integers or floats to floating numbers, by scale and zero point.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator DequantizeLinear;

}  // namespace norn::ops
