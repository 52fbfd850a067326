// Causal depthwise convolution that carries its last inputs.
#pragma once
#include "opset/attrs.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator CausalConvWithState;

// Whether the sums go through x * sigmoid(x), which has two names; throws norn::Error (InvalidGraph) for an activation
// that the specification does not know.
bool resolve_silu(const opset::Attrs& attrs);

}  // namespace norn::ops
