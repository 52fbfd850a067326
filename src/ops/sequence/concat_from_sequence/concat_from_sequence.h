// A sequence's tensors joined along an axis, or along a new one.
#pragma once
#include <cstdint>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator ConcatFromSequence;

struct ConcatFromSequenceParams {
  std::int64_t axis = 0;  // of the result
  bool stacked = false;   // along a new axis
};
// For tensors of rank `rank`.
ConcatFromSequenceParams resolve_concat_from_sequence(const opset::NodeView& node, std::int64_t rank);

}  // namespace norn::ops
