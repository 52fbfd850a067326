// Boxes that do not overlap a better one.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator NonMaxSuppression;

}  // namespace norn::ops
