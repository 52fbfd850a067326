// Activation functions of one tensor.
#pragma once
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Celu, Elu, Gelu, HardSigmoid, HardSwish, LeakyRelu, Mish, Selu, Shrink, Softplus, Swish,
    ThresholdedRelu;

}  // namespace norn::ops
