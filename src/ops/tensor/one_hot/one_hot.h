// Class numbers as vectors with one element on.
#pragma once
#include <cstdint>
#include <optional>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator OneHot;

struct OneHotParams {
  std::optional<opset::DimExpr> depth;  // the number of classes, if it is known; a fraction is dropped
  std::optional<std::int64_t> axis;     // of the output, where the rank of the indices is known
};
OneHotParams resolve_one_hot(const opset::NodeView& node);

}  // namespace norn::ops
