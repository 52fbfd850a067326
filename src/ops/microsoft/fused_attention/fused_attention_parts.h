// What the bodies of the fused attention operators share: nodes over q, k and v of [batch, heads, length, size].
#pragma once
#include <cstdint>
#include <string>

#include "opset/function_body.h"

namespace norn::ops::microsoft {

struct AttentionParts {
  std::int64_t heads = 0, kv_heads = 0;
  bool causal = false;
  std::int64_t left = -1;            // how many keys before its own a query sees; -1: all of them
  std::string k = "k", v = "v";      // all keys and values, or those that come behind the cached ones
  std::string past_key, past_value;  // the cached ones, as tensors of their own
  std::string valid;                 // int64[batch]: of how many keys there are any
  std::string bias;                  // summand of the scores
  std::string sink;                  // [heads, 1, 1]: the score of what has no value
  int stage = 0;                     // what `stage` is, as Attention's qk_matmul_output_mode counts
};

// From q, of which there are batch and query_length: `attended` [batch, length, heads * size], `present_k` and
// `present_v`, `stage`. Scale and softcap are the node's attributes.
void attend(opset::BodyBuilder& b, const AttentionParts& parts);

// `to`, of [batch, heads, length, size], from the last axis of `from`.
void split_heads(opset::BodyBuilder& b, const std::string& from, const std::string& to, std::int64_t heads);

// `to`, which is `from` of [batch, heads, length, size] where the number of heads may not be known.
void state_heads(opset::BodyBuilder& b, const std::string& from, const std::string& to, std::int64_t heads);

// batch and query_length of q, key_length and total_length of k with the past's, if there is any.
void add_lengths(opset::BodyBuilder& b, const std::string& past);

// The summand of the scores, or "": of the input `mask` of integers, in any of its shapes, and of `attention_bias`,
// where they are given (-1: the operator has none). Needs the lengths, `past_length` too where there is a past.
std::string add_bias(opset::BodyBuilder& b, int mask, const std::string& mask_name, int attention_bias, bool has_past);

// The cache has room behind `past_sequence_length` tokens: the new ones are written there.
void add_to_buffer(opset::BodyBuilder& b, const std::string& past_key, const std::string& past_value,
                   AttentionParts& parts);

}  // namespace norn::ops::microsoft
