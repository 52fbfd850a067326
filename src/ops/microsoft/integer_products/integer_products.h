// Products of 8-bit integers whose result is scaled to floating-point numbers.
#pragma once
#include "opset/schema.h"

namespace norn::ops::microsoft {

extern const opset::Operator DynamicQuantizeMatMul, MatMulIntegerToFloat, QGemm;

}  // namespace norn::ops::microsoft
