// Rows divided by their norm.
#pragma once
#include <cstdint>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Normalizer;

enum class RowNorm : std::uint8_t { Max, L1, L2 };
RowNorm resolve_normalizer(const opset::NodeView& node);

}  // namespace norn::ops
