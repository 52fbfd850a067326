// A tensor cut into parts along an axis.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Split;

}  // namespace norn::ops
