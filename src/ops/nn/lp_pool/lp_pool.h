// Pooling by the p-norm.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator LpPool;

}  // namespace norn::ops
