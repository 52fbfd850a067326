// The operators of this slice, for other rooms to name.
#pragma once
#include <cstdint>
#include <vector>

#include "norn/types.h"
#include "ops/common/shapes.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator MaxPool;
extern const opset::Operator AveragePool;

struct PoolParams {
  std::vector<std::int64_t> kernel;
  bool ceil_mode;
  bool count_include_pad;  // an average counts the padding
  bool column_major;       // how indices of maxima are counted
};
PoolParams resolve_pool(const opset::NodeView& node);
// The window over an input of shape `x`. Throws if they do not fit together.
Window pool_window(const opset::NodeView& node, const PoolParams& params, const norn::Shape& x);

}  // namespace norn::ops
