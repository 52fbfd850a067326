#pragma once
#include <cstdint>
#include <optional>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator GatherElements;

// The axis of GatherElements and ScatterElements, counted from the front; nothing if no rank is known. Throws unless
// indices of this shape lie within the data, input 0, along the other axes.
std::optional<std::int64_t> elements_axis(const opset::NodeView& node, const std::optional<opset::Dims>& indices);

}  // namespace norn::ops
