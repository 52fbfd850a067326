// ONNX's operators of these names, for types that early operator sets lacked.
#pragma once
#include "opset/schema.h"

namespace norn::ops::microsoft {

extern const opset::Operator DequantizeLinear, QuantizeLinear;

}  // namespace norn::ops::microsoft
