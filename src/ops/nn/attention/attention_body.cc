// Scores, their bias, softmax, and the values' mean by it, on [batch, heads, sequence, size]. Where key and value have
// fewer heads than the query, consecutive query heads share one: they become a dimension of their own while multiplied.
//
// The bias is -inf where a key is not to be seen. A query that sees none has probabilities of 0 instead of NaN. 16-bit
// types are computed in float, and in softmax_precision where that is given.
#include <cmath>
#include <limits>

#include "ops/nn/attention/attention.h"
#include "opset/function_body.h"

namespace norn::ops {
inline namespace attention_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

struct Heads {
  std::int64_t query, kv;
};

Heads heads_of(const BodyBuilder& b) {
  if (b.rank(0) == 3) {
    const AttentionOptions options = resolve_attention_options(b);
    return {options.q_heads, options.kv_heads};
  }
  const Heads heads{b.size(0, 1), b.size(1, 1)};
  check_attention_heads(b, heads.query, heads.kv);
  return heads;
}

DataType computed_in(const BodyBuilder& b) {
  return b.elem(0) == DataType::Double ? DataType::Double : DataType::Float;
}

// Q, K and V as q, k and v of rank 4, in the type of computation; what the cache held comes before the keys and values.
void separate_heads(BodyBuilder& b, const Heads& heads) {
  const bool packed = b.rank(0) == 3;
  const bool past = b.has_input(4);
  if (past != b.has_input(5)) b.fail("past_key and past_value come together");
  if (packed) {
    const std::int64_t query_shape[] = {0, 0, heads.query, -1}, kv_shape[] = {0, 0, heads.kv, -1};
    b.ints("query_shape", query_shape);
    b.ints("kv_shape", kv_shape);
    b.add(R"(
      query_split = Reshape (Q, query_shape)
      query = Transpose <perm = [0, 2, 1, 3]> (query_split)
      key_split = Reshape (K, kv_shape)
      key = Transpose <perm = [0, 2, 1, 3]> (key_split)
      value_split = Reshape (V, kv_shape)
      value = Transpose <perm = [0, 2, 1, 3]> (value_split)
    )");
  } else {
    b.add("query = Identity (Q) key = Identity (K) value = Identity (V)");
  }
  b.add(past ? R"(
    present_key = Concat <axis = 2> (past_key, key)
    present_value = Concat <axis = 2> (past_value, value)
  )"
             : "present_key = Identity (key) present_value = Identity (value)");
  const std::string to = "Cast <to = " + std::to_string(static_cast<int>(computed_in(b))) + "> ";
  b.add("q = " + to + "(query) k = " + to + "(present_key) v = " + to + "(present_value)");
  b.add("query_length = Shape <start = 2, end = 3> (q) total_length = Shape <start = 2, end = 3> (k)");
}

// Q K^T into `scores`; both factors take the root of the scale, so that the product does not overflow.
void multiply_keys(BodyBuilder& b, const Heads& heads, std::optional<double> scale) {
  if (scale && *scale >= 0) {
    b.scalar("root", computed_in(b), std::sqrt(*scale));
    b.add("q_scaled = Mul (q, root) k_scaled = Mul (k, root)");
  } else if (scale) {
    b.scalar("scale_q", computed_in(b), *scale);
    b.add("q_scaled = Mul (q, scale_q) k_scaled = Identity (k)");
  } else {
    b.add(R"(
      size_list = Shape <start = 3, end = 4> (q)
      size = Squeeze (size_list)
      size_wide = Cast <to = 11> (size)
      size_root = Sqrt (size_wide)
      size_fourth_root = Sqrt (size_root)
      root_wide = Reciprocal (size_fourth_root)
      root = CastLike (root_wide, q)
      q_scaled = Mul (q, root)
      k_scaled = Mul (k, root)
    )");
  }
  if (heads.query == heads.kv) {
    b.add("k_transposed = Transpose <perm = [0, 1, 3, 2]> (k_scaled) scores = MatMul (q_scaled, k_transposed)");
    return;
  }
  const std::int64_t grouped[] = {heads.kv, heads.query / heads.kv}, joined[] = {heads.query}, group_axis[] = {2};
  b.ints("grouped", grouped);
  b.ints("joined", joined);
  b.ints("group_axis", group_axis);
  b.add(R"(
    batch = Shape <start = 0, end = 1> (q)
    query_rest = Shape <start = 2> (q)
    q_group_shape = Concat <axis = 0> (batch, grouped, query_rest)
    q_grouped = Reshape (q_scaled, q_group_shape)
    k_one_group = Unsqueeze (k_scaled, group_axis)
    k_transposed = Transpose <perm = [0, 1, 2, 4, 3]> (k_one_group)
    scores_grouped = MatMul (q_grouped, k_transposed)
    scores_shape = Concat <axis = 0> (batch, joined, query_length, total_length)
    scores = Reshape (scores_grouped, scores_shape)
  )");
}

// The sum of what masks, causality, window and padding add to the scores, into `bias`. False if they add nothing.
bool add_mask_and_bias(BodyBuilder& b, const AttentionOptions& options) {
  const bool mask = b.has_input(3), nonpad = b.has_input(6);
  const bool causal = options.causal;
  const std::int64_t left = options.left_window, right = options.right_window;
  b.scalar("nothing", computed_in(b), 0);
  b.add("hidden_wide = Constant <value_float = -inf> () hidden = CastLike (hidden_wide, q)");
  std::vector<std::string> parts;
  if (mask) {
    b.add(b.elem(3) == DataType::Bool ? "mask_bias = Where (attn_mask, nothing, hidden)"
                                      : "mask_bias = CastLike (attn_mask, q)");
    if (b.version() < 24) {
      b.add("padded_mask = Expand (mask_bias, total_length)");
    } else {
      // A mask for fewer keys hides the rest.
      const std::int64_t last[] = {-1}, zero[] = {0};
      b.ints("mask_axis", last);
      b.ints("none_before", zero);
      b.add(R"(
        mask_length = Shape <start = -1> (attn_mask)
        lacking = Sub (total_length, mask_length)
        lacking_or_none = Max (lacking, none_before)
        mask_pads = Concat <axis = 0> (none_before, lacking_or_none)
        padded_mask = Pad (mask_bias, mask_pads, hidden, mask_axis)
      )");
    }
    parts.push_back("padded_mask");
  }
  std::string seen;
  const auto require = [&](const std::string& condition) {
    if (seen.empty()) {
      seen = condition;
      return;
    }
    b.add("seen_" + condition + " = And (" + seen + ", " + condition + ")");
    seen = "seen_" + condition;
  };
  if (causal || left >= 0 || right >= 0 || nonpad) {
    const std::int64_t column[] = {-1, 1}, by_batch[] = {-1, 1, 1, 1};
    b.ints("column", column);
    b.ints("by_batch", by_batch);
    b.add("zero = Constant <value_int = 0> () one = Constant <value_int = 1> ()");
    b.add(R"(
      query_count = Squeeze (query_length)
      key_count = Squeeze (total_length)
      key_at = Range (zero, key_count, one)
      query_numbers = Range (zero, query_count, one)
      query_column = Reshape (query_numbers, column)
    )");
    if (b.has_input(4))
      b.add("past_length = Shape <start = 2, end = 3> (past_key) query_at = Add (query_column, past_length)");
    else if (nonpad)
      b.add(R"(
        before_list = Sub (nonpad_kv_seqlen, query_length)
        before = Reshape (before_list, by_batch)
        query_at = Add (query_column, before)
      )");
    else
      b.add("query_at = Identity (query_column)");
    if (causal) {
      b.add("not_later = LessOrEqual (key_at, query_at)");
      require("not_later");
    }
    if (left >= 0) {
      b.add("left = Constant <value_int = " + std::to_string(left) + "> ()");
      b.add("leftmost = Sub (query_at, left) not_left = GreaterOrEqual (key_at, leftmost)");
      require("not_left");
    }
    if (right >= 0) {
      b.add("right = Constant <value_int = " + std::to_string(right) + "> ()");
      b.add("rightmost = Add (query_at, right) not_right = LessOrEqual (key_at, rightmost)");
      require("not_right");
    }
    if (nonpad) {
      b.add("valid = Reshape (nonpad_kv_seqlen, by_batch) not_padding = Less (key_at, valid)");
      require("not_padding");
    }
    b.add("place_bias = Where (" + seen + ", nothing, hidden)");
    parts.push_back("place_bias");
  }
  if (parts.empty()) return false;
  b.add(parts.size() == 1 ? "bias = Identity (" + parts[0] + ")" : "bias = Add (" + parts[0] + ", " + parts[1] + ")");
  return true;
}

void attention_body(BodyBuilder& b) {
  const Heads heads = heads_of(b);
  separate_heads(b, heads);
  const AttentionOptions options = resolve_attention_options(b);
  multiply_keys(b, heads, options.scale);
  if (options.softcap > 0) {
    b.scalar("cap", computed_in(b), options.softcap);
    b.add("of_cap = Div (scores, cap) bent = Tanh (of_cap) capped = Mul (bent, cap)");
  } else {
    b.add("capped = Identity (scores)");
  }
  const bool biased = add_mask_and_bias(b, options);
  b.add(biased ? "biased = Add (capped, bias)" : "biased = Identity (capped)");
  b.add(options.softmax_type
            ? "logits = Cast <to = " + std::to_string(static_cast<int>(*options.softmax_type)) + "> (biased)"
            : "logits = Identity (biased)");
  b.add("shares = Softmax <axis = -1> (logits)");
  if (biased) {
    const std::int64_t last[] = {-1};
    b.ints("key_axis", last);
    b.add(R"(
      most = ReduceMax (biased, key_axis)
      sees_none = Equal (most, hidden)
      no_share = CastLike (nothing, shares)
      seen_shares = Where (sees_none, no_share, shares)
      probabilities = CastLike (seen_shares, q)
    )");
  } else {
    b.add("probabilities = CastLike (shares, q)");
  }
  if (heads.query == heads.kv) {
    b.add("y_v = MatMul (probabilities, v)");
  } else {
    b.add(R"(
      weights_shape = Concat <axis = 0> (batch, grouped, query_length, total_length)
      weights_grouped = Reshape (probabilities, weights_shape)
      v_one_group = Unsqueeze (v, group_axis)
      y_grouped = MatMul (weights_grouped, v_one_group)
      v_size = Shape <start = 3, end = 4> (v)
      y_shape = Concat <axis = 0> (batch, joined, query_length, v_size)
      y_v = Reshape (y_grouped, y_shape)
    )");
  }
  b.add("y = CastLike (y_v, Q)");
  if (b.rank(0) == 3) {
    const std::int64_t packed[] = {0, 0, -1};
    b.ints("packed", packed);
    b.add("y_by_place = Transpose <perm = [0, 2, 1, 3]> (y) Y = Reshape (y_by_place, packed)");
  } else {
    b.add("Y = Identity (y)");
  }
  constexpr const char* kStages[] = {"scores", "capped", "biased", "probabilities"};
  b.add(std::string("qk_matmul_output = CastLike (") + kStages[options.qk_mode] + ", Q)");
}

constexpr FunctionBody kAttentionBodies[] = {
    {.since = 23, .opset = 23, .build = attention_body},
    {.since = 24, .opset = 24, .build = attention_body},
    {.since = 25, .opset = 25, .build = attention_body},
};

}  // namespace
}  // namespace attention_body_cc

void attention_bodies(opset::BodyTable& table) { table.add(Attention, kAttentionBodies); }

}  // namespace norn::ops
