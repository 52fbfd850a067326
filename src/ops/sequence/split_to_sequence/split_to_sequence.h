// A tensor cut along an axis into a sequence.
#pragma once
#include <cstdint>
#include <vector>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator SplitToSequence;

// The parts' sizes along an axis of `whole` elements. `scalar`: the input `split`, which has to be known, is one size.
std::vector<std::int64_t> split_sizes(const opset::NodeView& node, std::int64_t whole, bool scalar);

}  // namespace norn::ops
