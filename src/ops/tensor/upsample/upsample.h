// The operators of this slice, for other rooms to name.
#pragma once
#include <cstdint>

#include "ops/tensor/resize/resize.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Upsample;

// Scales are empty from version 9 on, where they are an input.
struct UpsampleParams {
  ResizeParams resize;
  ResizeTarget target;
};
UpsampleParams resolve_upsample(const opset::NodeView& node, std::int64_t rank);

}  // namespace norn::ops
