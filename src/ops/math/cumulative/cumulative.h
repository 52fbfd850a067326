// Running products and sums along an axis.
#pragma once
#include <cstdint>
#include <optional>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator CumProd;
extern const opset::Operator CumSum;

struct CumulativeParams {
  std::optional<std::int64_t> axis;  // counted from the front; nothing if it is not known
  bool exclusive, reverse;
};
CumulativeParams resolve_cumulative(const opset::NodeView& node, std::int64_t rank);

}  // namespace norn::ops
