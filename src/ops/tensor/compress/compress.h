// The slices that a list of booleans chooses.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "norn/value.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Compress;

// The axis, counted from the front; nothing if the input is flattened.
std::optional<std::int64_t> compress_axis(const opset::NodeView& node, std::int64_t rank);
// The positions, of `size`, where the condition is true. Throws if one lies beyond.
std::vector<std::int64_t> compress_choice(const opset::NodeView& node, const Tensor& condition, std::int64_t size);

}  // namespace norn::ops
