// Causal depthwise convolution that carries its last inputs.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator CausalConvWithState;

}  // namespace norn::ops
