// Quantization to uint8 by the range of the data itself.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator DynamicQuantizeLinear;

}  // namespace norn::ops
