// The operators of this slice, for other rooms to name.
#pragma once
#include <cstdint>
#include <optional>

#include "ops/tensor/resize/resize.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Upsample;

struct UpsampleParams {
  ResizeParams resize;
  std::optional<ResizeTarget> target;  // nothing if scales are an input, as from version 9 on, and not known
};
UpsampleParams resolve_upsample(const opset::NodeView& node, std::int64_t rank);

}  // namespace norn::ops
