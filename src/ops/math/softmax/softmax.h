// The operators of this slice, for other rooms to name.
#pragma once
#include <cstdint>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Softmax;
extern const opset::Operator LogSoftmax;
extern const opset::Operator Hardmax;

// The dimensions [first, last) over which a sum or a search goes: one axis, or before version 13 all from the axis on.
struct SoftmaxParams {
  std::int64_t first, last;
};
SoftmaxParams resolve_softmax(const opset::NodeView& node, std::int64_t rank);

}  // namespace norn::ops
