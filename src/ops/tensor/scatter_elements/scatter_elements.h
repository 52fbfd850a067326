// Single elements written into a copy of a tensor.
#pragma once
#include <cstdint>
#include <optional>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Scatter, ScatterElements;

// The axis, counted from the front; nothing if no rank is known. Throws unless data, indices and updates fit together.
std::optional<std::int64_t> scatter_axis(const opset::NodeView& node);

}  // namespace norn::ops
