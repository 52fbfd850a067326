// Max, Min and Sum of any number of tensors.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Max, Min, Sum;

}  // namespace norn::ops
