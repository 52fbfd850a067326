// The loss of log-probabilities against class numbers.
#pragma once
#include <cstdint>

#include "opset/infer_context.h"
#include "opset/schema.h"

namespace norn::ops {

enum class LossReduction : std::uint8_t { None, Sum, Mean };
LossReduction resolve_loss_reduction(const opset::NodeView& node);
// Sets output 0 of a loss of [N, C, d...] (input 0) against class numbers [N, d...] (input 1) with an optional weight
// [C] (input 2), having compared their sizes: nodes of the function body would let some of them differ.
void infer_class_loss(opset::InferContext& ctx);

extern const opset::Operator NegativeLogLikelihoodLoss;

}  // namespace norn::ops
