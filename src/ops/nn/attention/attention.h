// Scaled dot-product attention, with a cache of keys and values.
#pragma once
#include <cstdint>
#include <optional>

#include "norn/types.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Attention;

// What a node's attributes say.
struct AttentionOptions {
  std::int64_t q_heads = 0, kv_heads = 0;  // of inputs of rank 3; 0 where they are not given
  std::optional<double> scale;
  double softcap = 0;
  bool causal = false;
  std::int64_t left_window = -1, right_window = -1;  // -1: no bound
  std::int64_t qk_mode = 0;                          // 0 to 3
  std::optional<DataType> softmax_type;
};
AttentionOptions resolve_attention_options(const opset::NodeView& node);
// Throws if the query's heads are not a multiple of the key's. Tensors without heads are empty ones.
void check_attention_heads(const opset::NodeView& node, std::int64_t query, std::int64_t kv);

// What a node's inputs say of sizes.
struct AttentionSizes {
  bool packed = false;  // inputs of rank 3: heads lie within the last axis
  opset::DimExpr batch, q_heads, kv_heads, rows, keys;
  opset::DimExpr size, v_size;                             // of a head of query and key, and of a value
  std::optional<opset::DimExpr> past = opset::DimExpr(0);  // length of the cache; nothing if it is not known
};
// Nothing if the rank of Q, K or V is not known. Throws if the shapes do not fit together.
std::optional<AttentionSizes> resolve_attention_sizes(const opset::NodeView& node);

// All of it, where the shapes are known.
struct AttentionParams : AttentionOptions {
  bool packed = false;
  std::int64_t batch = 0, rows = 0, keys = 0, past = 0, size = 0, v_size = 0;
  double score_scale = 0;  // the scale, or its default
  std::int64_t total() const noexcept { return past + keys; }
};
AttentionParams resolve_attention(const opset::NodeView& node);

}  // namespace norn::ops
