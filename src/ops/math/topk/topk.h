// The greatest or smallest elements along an axis, with their positions.
#pragma once
#include <cstdint>
#include <optional>

#include "opset/dim_expr.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator TopK;

struct TopKParams {
  std::int64_t axis;  // counted from the front
  bool largest;
  std::optional<opset::DimExpr> k;  // nothing if it is not known
};
TopKParams resolve_topk(const opset::NodeView& node, std::int64_t rank);

}  // namespace norn::ops
