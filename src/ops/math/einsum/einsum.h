// Einstein summation.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Einsum;

}  // namespace norn::ops
