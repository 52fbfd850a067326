// The operators of this slice, for other rooms to name.
#pragma once
#include <cstdint>

#include "norn/types.h"
#include "ops/common/shapes.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator ConvTranspose;

struct ConvTransposeParams {
  std::int64_t group;
  std::int64_t filters;
  norn::Shape out;  // spatial sizes of Y
  Window window;    // over Y, with a position for each element of X: that of the convolution which is transposed
};
// For an input and filters of these shapes. Throws if they do not fit together.
ConvTransposeParams resolve_conv_transpose(const opset::NodeView& node, const norn::Shape& x, const norn::Shape& w);

}  // namespace norn::ops
