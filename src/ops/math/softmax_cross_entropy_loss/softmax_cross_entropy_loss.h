// The loss of scores against class numbers.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator SoftmaxCrossEntropyLoss;

}  // namespace norn::ops
