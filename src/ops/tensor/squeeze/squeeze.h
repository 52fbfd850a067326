// Dimensions of size 1 removed and inserted.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Squeeze, Unsqueeze;

// Which dimensions of `x` (null if its rank is not known) go; nothing where that is not known.
std::optional<std::vector<bool>> resolve_squeeze(const opset::NodeView& node, const opset::Dims* x);
// Which dimensions of the output are new, for an input of rank `rank`; nothing where that is not known.
std::optional<std::vector<bool>> resolve_unsqueeze(const opset::NodeView& node, std::optional<std::int64_t> rank);

}  // namespace norn::ops
