// A piece written into a cache, at a place of its own for each batch entry.
#pragma once
#include <cstdint>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator TensorScatter;

struct TensorScatterParams {
  std::int64_t axis;  // counted from the front
  bool circular;
};
TensorScatterParams resolve_tensor_scatter(const opset::NodeView& node, std::int64_t rank);

}  // namespace norn::ops
