// A sequence's tensors joined along an axis, or along a new one.
#pragma once
#include <cstdint>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator ConcatFromSequence;

// The axis, of the result, along which tensors of rank `rank` are joined or stacked.
std::int64_t resolve_concat_from_sequence(const opset::NodeView& node, std::int64_t rank);

}  // namespace norn::ops
