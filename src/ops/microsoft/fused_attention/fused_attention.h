// Attention as ONNX Runtime fuses it: with the projection of its inputs, masks of many shapes, caches of keys and
// values, and rotary positions.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "opset/attrs.h"
#include "opset/schema.h"

namespace norn::ops::microsoft {

extern const opset::Operator Attention, GroupQueryAttention, MultiHeadAttention, QAttention;

// Numbers of heads; those of keys and values are the queries' where the operator has no kv_num_heads. These throw
// norn::Error (InvalidGraph) for attributes that contradict each other.
struct HeadCounts {
  std::int64_t query = 0, key_value = 0;
};
HeadCounts resolve_head_counts(const opset::Attrs& attrs);

// What else an Attention or QAttention says of the projected queries, keys and values.
struct ProjectionParams {
  std::optional<std::vector<std::int64_t>> sizes;  // three of them; nothing if they are thirds
  bool shares_buffer = false;                      // of past and present
};
ProjectionParams resolve_projection(const opset::Attrs& attrs);

}  // namespace norn::ops::microsoft
