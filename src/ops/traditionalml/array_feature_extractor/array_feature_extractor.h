// Elements of the last axis by position.
#pragma once
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator ArrayFeatureExtractor;

// The sizes of so many picks out of each row of X. Throws if X has no axis to pick along.
opset::Dims picked_dims(const opset::NodeView& node, opset::Dims x, const opset::DimExpr& picks);

}  // namespace norn::ops
