// Elements added or removed before and after each axis.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "norn/value.h"
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
// The size of a dimension of data behind a node whose pads are known. Throws if they remove more than there is.
opset::DimExpr padded_size(const opset::NodeView& node, const PadParams& params, const opset::Dims& x, std::size_t d);
// The element that stands where there was nothing, since version 11; null for a zero, and for one that is not known.
const norn::Tensor* pad_element(const opset::NodeView& node);

}  // namespace norn::ops
