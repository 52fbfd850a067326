// One step of gradient descent with momentum.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Momentum;

}  // namespace norn::ops
