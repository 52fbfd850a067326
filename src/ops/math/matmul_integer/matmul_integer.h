// Matrix product of 8-bit integers into 32 bits.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator MatMulInteger;

}  // namespace norn::ops
