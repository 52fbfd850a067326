// A tensor repeated along its axes.
#pragma once
#include <cstdint>
#include <optional>

#include "norn/value.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Tile;

// How often a node repeats each axis of data of this rank; nothing if it is not known. `first` and `second` are the
// contents of the inputs behind the data, null if they are not known: in version 1 they are floating-point numbers.
std::optional<opset::Dims> resolve_tile(const opset::NodeView& node, std::optional<std::int64_t> rank,
                                        const Tensor* first, const Tensor* second);

}  // namespace norn::ops
