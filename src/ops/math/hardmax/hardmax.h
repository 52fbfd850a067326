// One at the first greatest element along an axis, zero elsewhere.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Hardmax;

}  // namespace norn::ops
