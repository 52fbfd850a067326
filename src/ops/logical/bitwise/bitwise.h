// Logic on the bits of integers.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator BitwiseAnd, BitwiseOr, BitwiseXor, BitwiseNot;

}  // namespace norn::ops
