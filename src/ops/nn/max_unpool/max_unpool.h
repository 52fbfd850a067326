// The operators of this slice, for other rooms to name.
#pragma once
#include <optional>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator MaxUnpool;

// Nothing if output_shape is given and not known.
std::optional<opset::Dims> unpooled_shape(const opset::NodeView& node, const opset::Dims& x);

}  // namespace norn::ops
