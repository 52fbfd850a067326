// Attention as ONNX Runtime fuses it: with the projection of its inputs, masks of many shapes, caches of keys and
// values, and rotary positions.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops::microsoft {

extern const opset::Operator Attention, GroupQueryAttention, MultiHeadAttention, QAttention;

// Numbers of heads; those of keys and values are the queries' where the operator has no kv_num_heads.
struct HeadCounts {
  std::int64_t query = 0, key_value = 0;
};
HeadCounts resolve_head_counts(const opset::NodeView& node);

// What an Attention or QAttention says of the projected queries, keys and values.
struct ProjectionParams {
  std::int64_t heads = 0;
  std::optional<std::vector<std::int64_t>> sizes;  // three of them; nothing if they are thirds
  bool shares_buffer = false;                      // of past and present
  bool causal = false;
};
ProjectionParams resolve_projection(const opset::NodeView& node);

// Which of MultiHeadAttention's inputs hold queries, keys and values.
struct MultiHeadParams {
  std::int64_t heads = 0;
  bool packed = false;  // query holds them all
  int key_rank = 0;     // 0: there is no key
};
// Throws if inputs are missing beside others. Nothing if a rank is not known.
std::optional<MultiHeadParams> resolve_multi_head(const opset::NodeView& node);

struct GroupQueryParams {
  HeadCounts heads;
  bool causal = false, rotary = false;
  std::int64_t window = -1;    // -1: keys are seen however far they are
  std::int64_t qk_output = 0;  // 0 to 2
};
// Throws if inputs are missing beside others.
GroupQueryParams resolve_group_query(const opset::NodeView& node);

}  // namespace norn::ops::microsoft
