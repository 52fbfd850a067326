// The operators of this slice, for other rooms to name.
#pragma once
#include <cstdint>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator MaxRoiPool;

struct MaxRoiPoolParams {
  std::int64_t height, width;
  float spatial_scale;
};
MaxRoiPoolParams resolve_max_roi_pool(const opset::NodeView& node);

}  // namespace norn::ops
