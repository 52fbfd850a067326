// Logic on booleans.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator And, Or, Xor, Not;

}  // namespace norn::ops
