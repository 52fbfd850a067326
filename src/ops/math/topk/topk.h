// The greatest or smallest elements along an axis, with their positions.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator TopK;

}  // namespace norn::ops
