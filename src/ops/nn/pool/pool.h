// The operators of this slice, for other rooms to name.
#pragma once
#include "ops/common/pooling.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator MaxPool;
extern const opset::Operator AveragePool;

}  // namespace norn::ops
