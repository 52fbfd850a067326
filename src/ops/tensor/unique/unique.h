// The distinct elements, or slices along an axis.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Unique;

}  // namespace norn::ops
