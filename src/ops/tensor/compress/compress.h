// The slices that a list of booleans chooses.
#pragma once
#include <cstdint>
#include <vector>

#include "norn/value.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Compress;

struct CompressParams {
  bool flattened;         // single elements are chosen, not slices
  std::int64_t axis = 0;  // of the slices, where the input's rank is known
};
CompressParams resolve_compress(const opset::NodeView& node);
// The positions, of `size`, where the condition is true. Throws if one lies beyond.
std::vector<std::int64_t> compress_choice(const opset::NodeView& node, const Tensor& condition, std::int64_t size);

}  // namespace norn::ops
