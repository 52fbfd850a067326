// Numbers from a start to a limit by a step.
#pragma once
#include <cstdint>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Range;

// Throws if start, limit or delta is not one number, or delta is 0.
void check_range(const opset::NodeView& node);
// How many integers there are; delta is not 0.
opset::DimExpr range_count(const opset::NodeView& node, const opset::DimExpr& start, const opset::DimExpr& limit,
                           std::int64_t delta);

}  // namespace norn::ops
