// The first elements of each batch entry in reverse order.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator ReverseSequence;

}  // namespace norn::ops
