// Slices picked by rows of indices.
#pragma once
#include <cstdint>
#include <optional>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator GatherND;

struct GatherNdParams {
  opset::Dims batches;                 // the sizes of the first dimensions, as many as batch_dims says
  std::optional<std::int64_t> length;  // of one index; nothing if it is not known
};
GatherNdParams resolve_gather_nd(const opset::NodeView& node);

}  // namespace norn::ops
