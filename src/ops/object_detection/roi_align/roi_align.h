// The operators of this slice, for other rooms to name.
#pragma once
#include <cstdint>
#include <optional>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator RoiAlign;

struct RoiAlignParams {
  std::int64_t height, width;
  std::int64_t sampling_ratio;  // 0: as many samples as the region has elements
  float spatial_scale;
  bool maximum;                           // not the average
  bool half_pixel;                        // coordinates are moved by a half
  std::optional<opset::DimExpr> regions;  // how many there are, if a rank is known
};
RoiAlignParams resolve_roi_align(const opset::NodeView& node);

}  // namespace norn::ops
