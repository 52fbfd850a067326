// The same elements under other dimensions.
#pragma once
#include <optional>
#include <vector>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Reshape;

// The sizes that an input of shape `in` (null if its rank is not known) gets: nothing if the target is not known, no
// size where it depends on unknown sizes of the input.
std::optional<std::vector<std::optional<opset::DimExpr>>> resolve_reshape(const opset::NodeView& node,
                                                                          const opset::Dims* in);

}  // namespace norn::ops
