// The mean of any number of tensors, element by element.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Mean;

}  // namespace norn::ops
