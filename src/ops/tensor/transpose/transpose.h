// Dimensions in another order.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Transpose;

// Which of the input's dimensions each of the output's is; nothing if that takes a rank that is not known.
std::optional<std::vector<std::int64_t>> resolve_transpose(const opset::NodeView& node,
                                                           std::optional<std::int64_t> rank);

}  // namespace norn::ops
