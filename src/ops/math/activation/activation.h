// Activation functions of one tensor.
#pragma once
#include "opset/attrs.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Celu, Elu, Gelu, HardSigmoid, HardSwish, LeakyRelu, Mish, Selu, Shrink, Softplus, Swish,
    ThresholdedRelu;

// What the attributes of one of them say; those that the operator does not have are 0. Throws for what the
// specification does not know.
struct ActivationParams {
  float alpha = 0;
  float beta = 0;        // gamma of Selu; bias of Shrink, whose lambd is alpha
  bool by_tanh = false;  // a Gelu that is approximated
};
ActivationParams resolve_activation(const opset::Attrs& attrs);

}  // namespace norn::ops
