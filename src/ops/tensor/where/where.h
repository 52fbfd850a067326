// One of two tensors' elements, by a condition.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Where;

}  // namespace norn::ops
