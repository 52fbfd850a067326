// The operators of this slice, for other rooms to name.
#pragma once
#include <cstdint>

#include "norn/types.h"
#include "ops/common/shapes.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator DeformConv;

struct DeformConvParams {
  std::int64_t group, offset_group;
  Window window;
};
// For an input and filters of these shapes. Throws if they do not fit together.
DeformConvParams resolve_deform_conv(const opset::NodeView& node, const norn::Shape& x, const norn::Shape& w);

}  // namespace norn::ops
