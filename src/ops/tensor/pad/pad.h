// Elements added or removed before and after each axis.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Pad;

// What stands where there was nothing.
enum class PadMode : std::uint8_t { Constant, Reflect, Edge, Wrap };
PadMode pad_mode(const opset::NodeView& node);

// How many elements a node adds to data of a rank; nothing where it is not known.
struct PadParams {
  std::optional<std::vector<bool>> padded;  // the dimensions that pads are given for
  std::optional<opset::Dims> begin, end;    // for each dimension; negative where elements are removed
};
PadParams resolve_pad(const opset::NodeView& node, std::int64_t rank);

}  // namespace norn::ops
