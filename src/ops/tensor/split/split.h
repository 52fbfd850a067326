// A tensor cut into parts along an axis.
#pragma once
#include <cstdint>
#include <optional>

#include "norn/value.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Split;

struct SplitParams {
  std::int64_t axis = 0;               // counted from the front if the shape is known
  std::optional<opset::Dims> lengths;  // of each output; nothing if they are not known
  bool given = false;                  // the node gives them
};
// For data of this shape, null if it is not known, and as many outputs. `numbers`: the contents of input 1, null if
// they are not known; in version 1 they are floating-point numbers. Throws if lengths do not go with the size and the
// outputs.
SplitParams resolve_split(const opset::NodeView& node, const opset::Dims* shape, std::size_t outputs,
                          const Tensor* numbers);

}  // namespace norn::ops
