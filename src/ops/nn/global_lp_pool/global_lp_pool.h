// The p-norm over all spatial dimensions.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator GlobalLpPool;

}  // namespace norn::ops
