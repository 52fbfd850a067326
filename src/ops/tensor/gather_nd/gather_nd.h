// Slices picked by rows of indices.
#pragma once
#include <cstdint>
#include <optional>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator GatherND;

// The attribute batch_dims, 0 in version 11, for data of rank r and indices of rank q. Throws if it does not go with
// them, or if one of them is a scalar.
std::int64_t gather_nd_batch_dims(const opset::NodeView& node, std::optional<std::int64_t> r,
                                  std::optional<std::int64_t> q);
// The length of one index into so many axes; throws if it is none.
std::int64_t check_index_length(const opset::NodeView& node, std::int64_t length, std::int64_t axes);

}  // namespace norn::ops
