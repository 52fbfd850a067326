// Scaled dot-product attention, with a cache of keys and values.
#pragma once
#include <cstdint>
#include <optional>

#include "norn/types.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Attention;

// What a node's attributes say, whatever its inputs are.
struct AttentionOptions {
  std::int64_t q_heads = 0, kv_heads = 0;  // of inputs of rank 3; 0 where they are not given
  std::optional<double> scale;
  double softcap = 0;
  bool causal = false;
  std::int64_t left_window = -1, right_window = -1;  // -1: no bound
  std::int64_t qk_mode = 0;                          // 0 to 3
  std::optional<DataType> softmax_type;
};
// Throws norn::Error (InvalidGraph) for what the specification does not know.
AttentionOptions resolve_attention_options(const opset::Attrs& attrs);

// What a node's attributes and the shapes of its inputs say.
struct AttentionParams {
  bool packed = false;  // inputs of rank 3: heads lie within the last axis
  std::int64_t batch = 0, q_heads = 0, kv_heads = 0, rows = 0, keys = 0, past = 0;
  std::int64_t size = 0, v_size = 0;  // of a head of query and key, and of a value
  double scale = 0, softcap = 0;
  bool causal = false;
  std::int64_t left_window = -1, right_window = -1;  // -1: no bound
  std::int64_t qk_mode = 0;
  std::optional<DataType> softmax_type;
  std::int64_t total() const noexcept { return past + keys; }
};
// `past_key` is null where there is no cache. Throws through `node` if the shapes do not fit together.
AttentionParams resolve_attention(const opset::NodeView& node, const Shape& q, const Shape& k, const Shape& v,
                                  const Shape* mask, const Shape* past_key, const Shape* past_value);

}  // namespace norn::ops
