// The distinct elements, or slices along an axis.
#pragma once
#include <cstdint>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Unique;

struct UniqueParams {
  bool sorted;            // the values come in ascending order, not in that of appearance
  bool flattened;         // single elements are compared, not slices
  std::int64_t axis = 0;  // of the slices, where the input's rank is known
};
UniqueParams resolve_unique(const opset::NodeView& node);

}  // namespace norn::ops
