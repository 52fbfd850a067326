// Activation functions of one tensor.
#pragma once
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Celu, Elu, Gelu, HardSigmoid, HardSwish, LeakyRelu, Mish, Selu, Shrink, Softplus, Swish,
    ThresholdedRelu;

// Whether a Gelu is the approximation by tanh; throws for what is neither that nor the definition.
bool gelu_by_tanh(const opset::NodeView& node);

}  // namespace norn::ops
