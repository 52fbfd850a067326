// Max, Min, Sum and Mean of any number of tensors.
#pragma once
#include <optional>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Max, Min, Sum, Mean;

// The shape that the first inputs, this number of them, all have before version 8; nothing if none is known.
std::optional<opset::Dims> resolve_same_shape(const opset::NodeView& node, int inputs);

}  // namespace norn::ops
