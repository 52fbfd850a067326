// The operators of this slice, for other rooms to name.
#pragma once
#include <cstdint>
#include <optional>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator GridSample;

enum class SampleMode : std::uint8_t { Nearest, Linear, Cubic };
enum class SamplePadding : std::uint8_t { Zeros, Border, Reflection };

struct GridSampleParams {
  SampleMode mode = SampleMode::Linear;
  SamplePadding padding = SamplePadding::Zeros;
  bool align_corners;
  std::optional<opset::DimExpr> batch;  // what X and grid say of it
};
GridSampleParams resolve_grid_sample(const opset::NodeView& node);

}  // namespace norn::ops
