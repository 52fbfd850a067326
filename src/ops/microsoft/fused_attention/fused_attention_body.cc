// Attention and QAttention project their input to queries, keys and values; MultiHeadAttention takes these, each alone
// or packed into one tensor.
#include "base/checked.h"
#include "ops/common/body_guard.h"
#include "ops/microsoft/domain.h"
#include "ops/microsoft/fused_attention/fused_attention.h"
#include "ops/microsoft/fused_attention/fused_attention_parts.h"

namespace norn::ops {
namespace microsoft {

void group_query_attention_body(opset::BodyBuilder& b);

inline namespace fused_attention_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

// From `projected` [batch, length, sizes of queries, keys and values] on.
void attend_projected(BodyBuilder& b, int mask, int past, int attention_bias) {
  if (b.attrs().find_i("do_rotary").value_or(0) != 0)
    b.unsupported("the attribute do_rotary is 1, for which the operator has no cosines and sines",
                  "put RotaryEmbedding before MultiHeadAttention");
  AttentionParts parts;
  const auto [heads, sizes, shared, causal] = resolve_projection(b);
  parts.heads = parts.kv_heads = heads;
  parts.causal = causal;
  if (sizes) {
    b.ints("hidden_sizes", *sizes);
    b.add("q_tokens, k_tokens, v_tokens = Split <axis = -1> (projected, hidden_sizes)");
  } else if (b.size_or_unknown(1, 1) >= 0) {
    b.add("q_tokens, k_tokens, v_tokens = Split <axis = -1, num_outputs = 3> (projected)");
  } else {
    b.add(R"(
      projected_shape = Shape (projected)
      projected_width = Shape <start = -1> (projected)
      third_none = Constant <value = int64[1] {0}> ()
      third_parts = Constant <value = int64[1] {3}> ()
      third_rest = Mod (projected_width, third_parts)
      is_third = Equal (third_rest, third_none)
    )");
    add_guard(b, "projected", "projected_shape", "is_third", "columns_of_weights_for_three_parts");
    b.add("q_tokens, k_tokens, v_tokens = Split <axis = -1, num_outputs = 3> (columns_of_weights_for_three_parts)");
  }
  split_heads(b, "q_tokens", "q", parts.heads);
  split_heads(b, "k_tokens", "k", parts.heads);
  split_heads(b, "v_tokens", "v", parts.heads);
  const std::int64_t zero[] = {0};
  b.ints("pair_axis", zero);
  if (b.has_input(past)) {
    b.add(R"(
      past_k_pair, past_v_pair = Split <axis = 0, num_outputs = 2> (past)
      past_k_given = Squeeze (past_k_pair, pair_axis)
      past_v_given = Squeeze (past_v_pair, pair_axis)
    )");
    state_heads(b, "past_k_given", "past_k", parts.heads);
    state_heads(b, "past_v_given", "past_v", parts.heads);
  }
  if (shared) {
    if (!b.has_input(past) || !b.attrs().declares("qkv_hidden_sizes") || !b.has_input(6))
      b.unsupported(
          "the attribute past_present_share_buffer is 1, but the inputs past and past_sequence_length are not there");
    b.add("batch = Shape <start = 0, end = 1> (q) query_length = Shape <start = 2, end = 3> (q)");
    b.add("key_length = Identity (query_length)");
    add_to_buffer(b, "past_k", "past_v", parts);
  } else {
    add_lengths(b, b.has_input(past) ? "past_k" : "");
    if (b.has_input(past)) parts.past_key = "past_k", parts.past_value = "past_v";
  }
  parts.bias = add_bias(b, mask, "mask_index", attention_bias, !parts.past_key.empty());
  attend(b, parts);
  b.add("output = Identity (attended)");
  if (!b.wants_output(1)) return;
  b.add(std::string("present_k_pair = Unsqueeze (") + (shared ? "buffer_k" : "present_k") + ", pair_axis)");
  b.add(std::string("present_v_pair = Unsqueeze (") + (shared ? "buffer_v" : "present_v") + ", pair_axis)");
  b.add("present = Concat <axis = 0> (present_k_pair, present_v_pair)");
}

void attention_body(BodyBuilder& b) {
  b.add("product = MatMul (input, weights)");
  b.add(b.has_input(2) ? "projected = Add (product, bias)" : "projected = Identity (product)");
  attend_projected(b, 3, 4, 5);
}

void qattention_body(BodyBuilder& b) {
  const bool input_zero = b.has_input(6), weight_zero = b.has_input(7);
  if (input_zero) b.add("input_zero = Squeeze (input_zero_point)");
  if (weight_zero) b.add("weight_zero = Squeeze (weight_zero_point)");
  b.add(std::string("product = MatMulInteger (input, weight, ") + (input_zero ? "input_zero" : "") +
        (weight_zero ? ", weight_zero)" : ")"));
  b.add(R"(
    numbers = CastLike (product, input_scale)
    input_factor = Squeeze (input_scale)
    factor = Mul (input_factor, weight_scale)
    scaled = Mul (numbers, factor)
    projected = Add (scaled, bias)
  )");
  attend_projected(b, 5, 8, -1);
}

// `to` of [batch, heads, length, size] from [batch, length, heads, size], with the part of the bias from `begin` heads
// to `end` of them; end 0: the rest.
void add_projection_bias(BodyBuilder& b, const std::string& tokens, const std::string& to, std::int64_t heads,
                         std::int64_t begin, std::int64_t end) {
  std::string from = tokens;
  if (b.has_input(3)) {
    const std::int64_t shape[] = {heads, -1}, first[] = {begin}, behind[] = {end}, zero[] = {0}, most[] = {INT64_MAX};
    b.ints(to + "_bias_shape", shape);
    b.ints(to + "_bias_first", first);
    b.ints(to + "_bias_behind", behind);
    b.ints(to + "_bias_axis", zero);
    b.ints(to + "_bias_most", most);
    b.add(to + "_bias_begin = Mul (head_size, " + to + "_bias_first)");
    b.add(end > 0 ? to + "_bias_end = Mul (head_size, " + to + "_bias_behind)"
                  : to + "_bias_end = Identity (" + to + "_bias_most)");
    b.add(to + "_bias_part = Slice (bias, " + to + "_bias_begin, " + to + "_bias_end, " + to + "_bias_axis)");
    b.add(to + "_bias = Reshape (" + to + "_bias_part, " + to + "_bias_shape)");
    from = to + "_biased";
    b.add(from + " = Add (" + tokens + ", " + to + "_bias)");
  }
  b.add(to + " = Transpose <perm = [0, 2, 1, 3]> (" + from + ")");
}

// `name`_tokens of [batch, length, heads, size].
void add_tokens(BodyBuilder& b, const std::string& from, const std::string& name, std::int64_t heads) {
  const std::int64_t shape[] = {0, 0, heads, -1};
  b.ints(name + "_shape", shape);
  b.add(name + "_tokens = Reshape (" + from + ", " + name + "_shape)");
}

// The parts of an input of [batch, length, heads, parts, size].
void add_packed(BodyBuilder& b, const std::string& from, std::int64_t heads, std::initializer_list<const char*> names) {
  const std::int64_t axis[] = {3}, shape[] = {0, 0, heads, 0};
  b.ints("packed_axis", axis);
  b.ints("packed_shape", shape);
  std::string parts;
  for (const char* name : names) parts += (parts.empty() ? "" : ", ") + std::string(name) + "_packed";
  b.add(parts + " = Split <axis = 3, num_outputs = " + std::to_string(names.size()) + "> (" + from + ")");
  for (const std::string name : names)
    b.add(name + "_part = Squeeze (" + name + "_packed, packed_axis) " + name + "_tokens = Reshape (" + name +
          "_part, packed_shape)");
}

void multi_head_attention_body(BodyBuilder& b) {
  if (b.has_input(9)) b.unsupported("the input cache_indirection, which a search over beams uses, is not known");
  for (const int i : {0, 1})
    if (b.has_input(i)) b.rank(i);  // has to be known
  const auto [heads, packed, key_rank] = resolve_multi_head(b).value();
  AttentionParts parts;
  parts.heads = parts.kv_heads = heads;
  parts.causal = b.attrs().flag("unidirectional");
  const bool cross = key_rank == 4;
  if (packed) {
    add_packed(b, "query", heads, {"q", "k", "v"});
  } else {
    add_tokens(b, "query", "q", heads);
    if (key_rank == 5) add_packed(b, "key", heads, {"k", "v"});
    if (key_rank == 3) {
      add_tokens(b, "key", "k", heads);
      add_tokens(b, "value", "v", heads);
    }
  }
  b.add("head_size = Shape <start = 3, end = 4> (q_tokens)");
  add_projection_bias(b, "q_tokens", "q", heads, 0, heads);
  if (cross) {
    // They are projected, with their bias, already.
    state_heads(b, "key", "k", heads);
    state_heads(b, "value", "v", heads);
  } else {
    const auto twice = base::checked_mul(heads, std::int64_t{2});
    if (!twice) b.fail("the attribute num_heads is too large");
    add_projection_bias(b, "k_tokens", "k", heads, heads, *twice);
    add_projection_bias(b, "v_tokens", "v", heads, *twice, 0);
  }
  const bool past = b.has_input(6), shared = b.has_input(8);
  if (past) {
    state_heads(b, "past_key", "past_k", heads);
    state_heads(b, "past_value", "past_v", heads);
  }
  if (shared && past) {
    b.add("batch = Shape <start = 0, end = 1> (q) query_length = Shape <start = 2, end = 3> (q)");
    b.add("key_length = Shape <start = 2, end = 3> (k)");
    add_to_buffer(b, "past_k", "past_v", parts);
  } else {
    add_lengths(b, past ? "past_k" : "");
    if (past) parts.past_key = "past_k", parts.past_value = "past_v";
  }
  parts.bias = add_bias(b, 4, "key_padding_mask", 5, !parts.past_key.empty());
  parts.stage = 2;
  attend(b, parts);
  b.add("output = Identity (attended) qk = Identity (stage)");
  b.add(shared && past ? "present_key = Identity (buffer_k) present_value = Identity (buffer_v)"
                       : "present_key = Identity (present_k) present_value = Identity (present_v)");
}

constexpr FunctionBody kAttentionBodies[] = {{.since = 1, .opset = kBodyOpset, .build = attention_body}};
constexpr FunctionBody kQAttentionBodies[] = {{.since = 1, .opset = kBodyOpset, .build = qattention_body}};
constexpr FunctionBody kMultiHead[] = {{.since = 1, .opset = kBodyOpset, .build = multi_head_attention_body}};
constexpr FunctionBody kGroupQuery[] = {{.since = 1, .opset = kBodyOpset, .build = group_query_attention_body}};

}  // namespace
}  // namespace fused_attention_body_cc
}  // namespace microsoft

void fused_attention_bodies(opset::BodyTable& table) {
  table.add(microsoft::Attention, microsoft::kAttentionBodies);
  table.add(microsoft::QAttention, microsoft::kQAttentionBodies);
  table.add(microsoft::MultiHeadAttention, microsoft::kMultiHead);
  table.add(microsoft::GroupQueryAttention, microsoft::kGroupQuery);
}

}  // namespace norn::ops
