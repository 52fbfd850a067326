// Transposed convolution.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator ConvTranspose;

}  // namespace norn::ops
