// One step of an optimizer: Adagrad, Adam, Momentum.
#pragma once
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Adagrad, Adam, Momentum;

// What Adagrad and Momentum, and what Adam keeps of each tensor between steps: tensors of its shape.
inline constexpr int kAdagradStates = 1, kAdamStates = 2, kMomentumStates = 1;

// How many tensors a node with so many inputs, outputs and states moves. Throws if that does not come out even.
int optimized_tensors(const opset::NodeView& node, int inputs, int outputs, int states);
// Of a Momentum node.
bool is_nesterov(const opset::NodeView& node);

}  // namespace norn::ops
