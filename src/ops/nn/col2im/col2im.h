// The operators of this slice, for other rooms to name.
#pragma once
#include <cstdint>

#include "norn/types.h"
#include "ops/common/shapes.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Col2Im;

struct Col2ImParams {
  std::int64_t channels, block_size;
  norn::Shape image;
  Window window;  // over the image, with a position for each column
};
// For an input of shape `x`. Throws if it does not fit.
Col2ImParams resolve_col2im(const opset::NodeView& node, const norn::Shape& x);

}  // namespace norn::ops
