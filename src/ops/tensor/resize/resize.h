// Interpolation to other sizes.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Resize;

}  // namespace norn::ops
