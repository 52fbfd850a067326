// Convolution of quantized tensors.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator QLinearConv;

}  // namespace norn::ops
