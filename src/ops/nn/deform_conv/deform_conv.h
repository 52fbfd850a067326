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
// Throws if the shapes of the inputs do not fit together.
DeformConvParams resolve_deform_conv(const opset::NodeView& node);

}  // namespace norn::ops
