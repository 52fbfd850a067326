// Shift of integers' bits.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator BitShift;

}  // namespace norn::ops
