// Matrix product of quantized tensors.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator QLinearMatMul;

}  // namespace norn::ops
