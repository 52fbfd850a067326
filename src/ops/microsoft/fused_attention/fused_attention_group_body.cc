// Attention whose keys and values have fewer heads, and are kept in a cache.
//
// seqlens_k is the number of tokens of each sequence, less one, with the new ones; total_sequence_length the largest of
// these numbers, at least. New tokens are written behind what a sequence has; where they are all there is, a sequence
// may have fewer than are given, and the others come to nothing. The cache grows to total_sequence_length where it is
// shorter. A total below the largest number would hide tokens.
#include <string>
#include <utility>

#include "ops/common/body_guard.h"
#include "ops/microsoft/fused_attention/fused_attention.h"
#include "ops/microsoft/fused_attention/fused_attention_parts.h"

namespace norn::ops::microsoft {

void group_query_attention_body(opset::BodyBuilder& b);

inline namespace fused_attention_group_body_cc {
namespace {

using opset::BodyBuilder;

void require_known(const BodyBuilder& b, const GroupQueryParams& p) {
  const auto attrs = b.attrs();
  for (const char* name : {"k_quant_type", "v_quant_type"})
    if (attrs.s(name) != "NONE" && !attrs.s(name).empty())
      b.unsupported(std::string("the attribute ") + name + " is \"" + attrs.s(name) +
                    "\"; quantised caches are not known");
  if (b.has_input(3) && b.type(3).known() && b.elem(3) != b.elem(0))
    b.unsupported("the cache has another type than the query; quantised caches are not known");
  if (attrs.i("sliding_window_cache") != 0)
    b.unsupported("the attribute sliding_window_cache is 1; caches are kept whole");
  if (p.window == 0)
    b.unsupported("the attribute local_window_size is 0, so that queries see no key", "-1 lets them see all");
}

// total, batch, query_length; `counts` [batch]: of how many tokens each sequence is; `before`: how many of them are not
// new. Where the cache and the new tokens are fewer than total, or that is less than a count, or a count is below one,
// some position is outside of the cache, which the node that writes there refuses.
void add_counts(BodyBuilder& b) {
  b.add(R"(
    batch = Shape <start = 0, end = 1> (q_upright)
    query_length = Shape <start = 2, end = 3> (q_upright)
    total_number = Cast <to = 7> (total_sequence_length)
    total = Reshape (total_number, one)
    key_length = Shape <start = 2, end = 3> (k_placed)
    nowhere = Constant <value = int64[1] {4611686018427387904}> ()
  )");
  if (b.has_input(3)) {
    b.add(R"(
      unsigned_lasts = Cast <to = 12> (seqlens_k)
      lasts = Cast <to = 7> (unsigned_lasts)
      lasts_list = Reshape (lasts, batch)
      cached_length = Shape <start = 2, end = 3> (past_key)
      longest = Add (cached_length, key_length)
      fits_cache = LessOrEqual (total, longest)
      last_of_all = ReduceMax <keepdims = 0> (lasts_list)
      is_whole = Greater (total, last_of_all)
      has_room = And (fits_cache, is_whole)
      least = Where (has_room, zero, nowhere)
    )");
    b.add("k_upright = Identity (k_placed)");
  } else {
    b.add(R"(
      lasts = Cast <to = 7> (seqlens_k)
      lasts_list = Reshape (lasts, batch)
      least_last = ReduceMin <keepdims = 0> (lasts)
      number_zero = Constant <value_int = 0> ()
      are_numbers = GreaterOrEqual (least_last, number_zero)
      has_room = LessOrEqual (total, key_length)
      last_of_all = ReduceMax <keepdims = 0> (lasts)
      is_whole = Greater (total, last_of_all)
      are_few = And (has_room, is_whole)
      are_fitting = And (are_numbers, are_few)
      least = Identity (zero)
      key_shape = Shape (k_placed)
    )");
    add_guard(b, "k_placed", "key_shape", "are_fitting", "seqlens_k_from_0_and_total_within_the_tokens");
    b.add("k_upright = Identity (seqlens_k_from_0_and_total_within_the_tokens)");
  }
  b.add(R"(
    counts = Add (lasts_list, one)
    before_or_less = Sub (counts, query_length)
    before = Max (before_or_less, least)
  )");
}

// Keys of as many tokens as there are queries, or of none, where inference did not compare them.
bool has_compared_tokens(const BodyBuilder& b) {
  const opset::ValueType &q = b.type(0), &k = b.type(1);
  return q.has_rank() && k.has_rank() && q.shape->size() > 1 && k.shape->size() > 1 &&
         ((*k.shape)[1].is_constant() || (*k.shape)[1] == (*q.shape)[1]);
}

// `numbered` [batch, length]: where each new token stands in its sequence.
void add_positions(BodyBuilder& b) {
  b.add(R"(
    number_0 = Constant <value_int = 0> ()
    number_1 = Constant <value_int = 1> ()
    new_count = Squeeze (query_length)
    numbers = Range (number_0, new_count, number_1)
    before_column = Unsqueeze (before, one)
    counted = Add (before_column, numbers)
  )");
  if (!b.has_input(9)) return b.add("numbered = Identity (counted)");
  // Where there are no earlier tokens, all positions follow from the first one.
  b.add(R"(
    all_positions = Reshape (position_ids, rest)
    first_position = Slice (all_positions, zero, one)
    behind_first = Add (first_position, numbers)
    is_first = Equal (query_length, total)
    numbered = Where (is_first, behind_first, position_ids)
  )");
}

void add_rotation(BodyBuilder& b) {
  add_positions(b);
  const std::string attrs =
      "interleaved: int = @rotary_interleaved, rotary_embedding_dim = " + std::to_string(2 * b.size(7, 1));
  b.add("q = RotaryEmbedding <" + attrs + "> (q_upright, cos_cache, sin_cache, numbered)");
  b.add("k = RotaryEmbedding <" + attrs + "> (k_upright, cos_cache, sin_cache, numbered)");
}

// buffer_k, buffer_v: the cache with the new keys and values; all_k, all_v: of it, what the longest sequence has.
void add_cache(BodyBuilder& b, std::int64_t heads) {
  const bool past = b.has_input(3);
  if (past) {
    state_heads(b, "past_key", "past_k", heads);
    state_heads(b, "past_value", "past_v", heads);
  }
  b.add(past ? "had = Shape <start = 2, end = 3> (past_k)" : "had = Identity (query_length)");
  b.add(R"(
    capacity = Max (had, total)
    room = Sub (capacity, had)
    room_pads = Concat <axis = 0> (zero, room)
  )");
  for (const std::string name : {"k", "v"}) {
    if (past)
      b.add("roomy_" + name + " = Pad (past_" + name + ", room_pads, , two) buffer_" + name +
            " = TensorScatter <axis = 2> (roomy_" + name + ", " + name + ", before)");
    else
      b.add("buffer_" + name + " = Pad (" + name + ", room_pads, , two)");
    b.add("all_" + name + " = Slice (buffer_" + name + ", zero, total, two)");
  }
}

}  // namespace
}  // namespace fused_attention_group_body_cc

void group_query_attention_body(BodyBuilder& b) {
  const GroupQueryParams p = resolve_group_query(b);
  require_known(b, p);
  AttentionParts parts;
  parts.heads = p.heads.query;
  parts.kv_heads = p.heads.key_value;
  const std::int64_t zero[] = {0}, one[] = {1}, two[] = {2}, all[] = {-1};
  b.ints("zero", zero);
  b.ints("one", one);
  b.ints("two", two);
  b.ints("rest", all);
  if (b.has_input(1)) {
    split_heads(b, "query", "q_given", parts.heads);
    if (has_compared_tokens(b)) {
      split_heads(b, "key", "k_given", parts.kv_heads);
    } else {
      b.add(R"(
        q_tokens = Shape <start = 1, end = 2> (query)
        k_tokens = Shape <start = 1, end = 2> (key)
        k_frame = Shape <start = 0, end = 1> (key)
        k_width = Shape <start = 2, end = 3> (key)
        has_no_tokens = Equal (k_tokens, zero)
        as_many_tokens = Where (has_no_tokens, zero, q_tokens)
        given_key_shape = Concat <axis = 0> (k_frame, as_many_tokens, k_width)
        key_of_as_many_tokens = Reshape <allowzero = 1> (key, given_key_shape)
      )");
      split_heads(b, "key_of_as_many_tokens", "k_given", parts.kv_heads);
    }
    split_heads(b, "value", "v", parts.kv_heads);
  } else {
    const std::int64_t counts[] = {parts.heads, parts.kv_heads, parts.kv_heads};
    b.ints("packed_counts", counts);
    split_heads(b, "query", "packed", parts.heads + 2 * parts.kv_heads);
    b.add("q_given, k_given, v = Split <axis = 1> (packed, packed_counts)");
  }
  for (const auto& [name, to] : {std::pair<std::string, std::string>("q", "q_upright"), {"k", "k_placed"}})
    b.add(b.has_input(14) ? to + " = RMSNormalization <epsilon: float = @qk_norm_epsilon> (" + name + "_given, " +
                                name + "_norm_weight)"
                          : to + " = Identity (" + name + "_given)");
  add_counts(b);
  if (p.rotary)
    add_rotation(b);
  else
    b.add("q = Identity (q_upright) k = Identity (k_upright)");
  add_cache(b, parts.kv_heads);
  parts.k = "all_k";
  parts.v = "all_v";
  parts.causal = p.causal;
  if (p.window > 0) parts.left = p.window - 1;  // the window counts the query's own key
  b.add(parts.causal ? "valid = Add (before, query_length)" : "valid = Identity (counts)");
  parts.valid = "valid";
  b.add("total_length = Identity (total)");
  parts.bias = add_bias(b, -1, "", 10, false);
  if (b.has_input(11)) {
    const std::int64_t by_head[] = {-1, 1, 1};
    b.ints("by_head", by_head);
    b.add("sink = Reshape (head_sink, by_head)");
    parts.sink = "sink";
  } else if (b.attrs().i("smooth_softmax") == 1) {
    b.scalar("sink", b.elem(0), 0);
    parts.sink = "sink";
  }
  parts.stage = p.qk_output == 2 ? 3 : 2;
  attend(b, parts);
  b.add("output = Identity (attended) present_key = Identity (buffer_k) present_value = Identity (buffer_v)");
  b.add("output_qk = Identity (stage)");
}

}  // namespace norn::ops::microsoft
