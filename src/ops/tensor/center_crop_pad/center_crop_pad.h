// Cropped or padded to a size about the centre, axis by axis.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator CenterCropPad;

struct CenterCropPadParams {
  // Counted from the front and complete where the rank of the data is known, else as the attribute gives them.
  std::optional<std::vector<std::int64_t>> axes;
  std::optional<opset::Dims> sizes;  // for each of them, if they are known
};
CenterCropPadParams resolve_center_crop_pad(const opset::NodeView& node);

}  // namespace norn::ops
