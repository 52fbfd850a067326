// Scores, masks and caches that the fused attention operators share.
//
// A masked key gets mask_filter_value, a finite number, added to its scores: a query whose keys are all masked sees
// them all. What causality hides is not seen at all.
#include "ops/microsoft/fused_attention/fused_attention_parts.h"

#include "ops/common/body_guard.h"

namespace norn::ops::microsoft {
inline namespace fused_attention_parts_body_cc {
namespace {

using opset::BodyBuilder;

// The sink takes its share of each row and gives nothing for it.
void attend_beside_sink(BodyBuilder& b, const AttentionParts& parts) {
  const std::int64_t heads[] = {parts.heads}, grouped[] = {parts.kv_heads, parts.heads / parts.kv_heads}, one[] = {1},
                     zero[] = {0}, last[] = {-1}, group_axis[] = {2};
  b.ints("sink_heads", heads);
  b.ints("sink_groups", grouped);
  b.ints("sink_one", one);
  b.ints("sink_zero", zero);
  b.ints("sink_last", last);
  b.ints("sink_group_axis", group_axis);
  b.add("sink_shape = Concat <axis = 0> (batch, sink_heads, query_length, sink_one)");
  b.add("sink_scores = Expand (" + parts.sink + ", sink_shape)");
  b.add(R"(
    scores_beside_sink = Concat <axis = -1> (stage_of_scores, sink_scores)
    shares_beside_sink = Softmax <axis = -1> (scores_beside_sink)
    score_count = Shape <start = 3, end = 4> (stage_of_scores)
    shares = Slice (shares_beside_sink, sink_zero, score_count, sink_last)
    grouped_shape = Concat <axis = 0> (batch, sink_groups, query_length, score_count)
    shares_grouped = Reshape (shares, grouped_shape)
    values_one_group = Unsqueeze (present_v, sink_group_axis)
    grouped_y = MatMul (shares_grouped, values_one_group)
    value_size_of_sink = Shape <start = 3, end = 4> (present_v)
    heads_shape = Concat <axis = 0> (batch, sink_heads, query_length, value_size_of_sink)
    heads_y = Reshape (grouped_y, heads_shape)
  )");
  b.add(parts.stage == 3 ? "stage = Identity (shares)" : "stage = Identity (stage_of_scores)");
}

// A list of numbers has one for each sequence, two, or three and two more.
void require_length(const BodyBuilder& b, int mask, const std::string& name) {
  const std::int64_t length = b.size_or_unknown(mask, 0), batch = b.size_or_unknown(0, 0);
  if (length < 0 || batch < 0 || length == batch || length - batch == batch || length - 2 - batch - batch == batch)
    return;
  b.fail(name + " has " + std::to_string(length) + " numbers, but for a batch of " + std::to_string(batch) +
         " there are as many, twice as many, or three times as many and two");
}

// `visible`, of rank 4: which keys the mask shows.
void add_visible(BodyBuilder& b, int mask_input, const std::string& mask, int rank) {
  const std::int64_t by_batch[] = {-1, 1, 1, 1}, axis[] = {1}, rows_axes[] = {1, 2};
  b.ints("mask_by_batch", by_batch);
  b.ints("mask_axis_1", axis);
  b.ints("mask_axes_1_2", rows_axes);
  if (rank != 1) b.add("masked_value = Constant <value = int32 {0}> () shown = Greater (" + mask + ", masked_value)");
  switch (rank) {
    case 1:
      // Where each sequence ends; behind them, if there are twice as many numbers, where each begins.
      b.add("mask_wide = Cast <to = 7> (" + mask + ")");
      b.add(R"(
        mask_zero = Constant <value_int = 0> ()
        mask_one = Constant <value_int = 1> ()
        key_count = Squeeze (total_length)
        key_numbers = Range (mask_zero, key_count, mask_one)
        twice_batch = Add (batch, batch)
        number_count = Shape (mask_wide)
        has_starts = Equal (number_count, twice_batch)
        ends = Slice (mask_wide, mask_none, batch)
        least_end = ReduceMin <keepdims = 0> (ends)
        are_lengths = GreaterOrEqual (least_end, mask_zero)
      )");
      if (b.size_or_unknown(mask_input, 0) >= 0 && b.size_or_unknown(0, 0) >= 0)
        b.add("are_ends = Identity (are_lengths)");
      else
        b.add(R"(
          mask_two = Constant <value = int64[1] {2}> ()
          thrice_batch = Add (twice_batch, batch)
          with_offsets = Add (thrice_batch, mask_two)
          is_batch = Equal (number_count, batch)
          is_with_offsets = Equal (number_count, with_offsets)
          is_either = Or (is_batch, has_starts)
          is_a_length = Or (is_either, is_with_offsets)
          are_ends = And (are_lengths, is_a_length)
        )");
      add_guard(b, "ends", "mask_by_batch", "are_ends", "ends_from_0");
      b.add(R"(
        before_end = Less (key_numbers, ends_from_0)
        more = Concat <axis = 0> (mask_none, batch)
        mask_filled = Pad (mask_wide, more)
        starts_or_more = Slice (mask_filled, batch, twice_batch)
        starts = Where (has_starts, starts_or_more, mask_zero)
        starts_by_batch = Reshape (starts, mask_by_batch)
        behind_start = GreaterOrEqual (key_numbers, starts_by_batch)
        visible = And (before_end, behind_start)
      )");
      return;
    case 2: return b.add("visible = Unsqueeze (shown, mask_axes_1_2)");
    case 3: return b.add("visible = Unsqueeze (shown, mask_axis_1)");
    case 4:
      // A square of all positions: the queries are the last of the keys.
      b.add(R"(
        mask_rows = Constant <value = int64[2] {2, 3}> ()
        first_row = Sub (total_length, query_length)
        square_first = Concat <axis = 0> (first_row, mask_none)
        square_end = Concat <axis = 0> (total_length, total_length)
        visible = Slice (shown, square_first, square_end, mask_rows)
      )");
      return;
    default: b.fail(mask + " has rank " + std::to_string(rank) + ", but has to have 1 to 4");
  }
}

}  // namespace
}  // namespace fused_attention_parts_body_cc

void split_heads(BodyBuilder& b, const std::string& from, const std::string& to, std::int64_t heads) {
  const std::int64_t shape[] = {0, 0, heads, -1};
  b.ints(to + "_split_shape", shape);
  b.add(to + "_by_token = Reshape (" + from + ", " + to + "_split_shape)");
  b.add(to + " = Transpose <perm = [0, 2, 1, 3]> (" + to + "_by_token)");
}

void state_heads(BodyBuilder& b, const std::string& from, const std::string& to, std::int64_t heads) {
  const std::int64_t shape[] = {0, heads, 0, 0};
  b.ints(to + "_stated_shape", shape);
  b.add(to + " = Reshape (" + from + ", " + to + "_stated_shape)");
}

void add_lengths(BodyBuilder& b, const std::string& past) {
  b.add(R"(
    batch = Shape <start = 0, end = 1> (q)
    query_length = Shape <start = 2, end = 3> (q)
    key_length = Shape <start = 2, end = 3> (k)
  )");
  if (past.empty())
    b.add("total_length = Identity (key_length)");
  else
    b.add("past_length = Shape <start = 2, end = 3> (" + past + ") total_length = Add (past_length, key_length)");
}

std::string add_bias(BodyBuilder& b, int mask, const std::string& mask_name, int attention_bias, bool has_past) {
  const bool masked = mask >= 0 && b.has_input(mask), biased = attention_bias >= 0 && b.has_input(attention_bias);
  if (masked || biased) b.add("bias_lead = Constant <value = int64[3] {0, 0, 0}> ()");
  if (masked || biased) b.add("bias_shape = Concat <axis = 0> (bias_lead, total_length)");
  // A summand for fewer keys would hide the rest.
  if (biased) b.add("bias_of_all = Reshape (attention_bias, bias_shape)");
  if (!masked) return biased ? "bias_of_all" : "";
  const std::int64_t none[] = {0};
  b.ints("mask_none", none);
  const int rank = b.rank(mask);
  if (rank == 1) require_length(b, mask, mask_name);
  add_visible(b, mask, mask_name, rank);
  b.scalar("filter_wide", DataType::Float,
           static_cast<double>(b.attrs().find_f("mask_filter_value").value_or(-10000.0f)));
  b.add("filter = CastLike (filter_wide, q) no_filter_wide = Constant <value_float = 0.0> ()");
  b.add("no_filter = CastLike (no_filter_wide, q) filtered = Where (visible, no_filter, filter)");
  if (has_past && rank == 2) {
    // A mask of the new keys only shows the cached ones.
    b.add(R"(
      mask_last = Constant <value = int64[1] {-1}> ()
      mask_length = Shape <start = 3, end = 4> (filtered)
      is_of_new = Equal (mask_length, key_length)
      not_masked = Where (is_of_new, past_length, mask_none)
      not_masked_pads = Concat <axis = 0> (not_masked, mask_none)
      filtered_cached = Pad (filtered, not_masked_pads, no_filter, mask_last)
      filter_of_all = Reshape (filtered_cached, bias_shape)
    )");
  } else {
    b.add("filter_of_all = Reshape (filtered, bias_shape)");
  }
  if (!biased) return "filter_of_all";
  b.add("filter_and_bias = Add (filter_of_all, bias_of_all)");
  return "filter_and_bias";
}

void add_to_buffer(BodyBuilder& b, const std::string& past_key, const std::string& past_value, AttentionParts& parts) {
  const std::int64_t one[] = {1}, zero[] = {0}, two[] = {2};
  b.ints("buffer_list", one);
  b.ints("buffer_first", zero);
  b.ints("buffer_axis", two);
  b.add("written_number = Cast <to = 7> (past_sequence_length) written = Reshape (written_number, buffer_list)");
  b.add(
      "write_at = Expand (written, batch) total_length = Add (written, key_length) valid = Expand (total_length, "
      "batch)");
  b.add("buffer_k = TensorScatter <axis = 2> (" + past_key + ", k, write_at)");
  b.add("buffer_v = TensorScatter <axis = 2> (" + past_value + ", v, write_at)");
  b.add("all_k = Slice (buffer_k, buffer_first, total_length, buffer_axis)");
  b.add("all_v = Slice (buffer_v, buffer_first, total_length, buffer_axis)");
  parts.k = "all_k";
  parts.v = "all_v";
  parts.valid = "valid";
}

void attend(BodyBuilder& b, const AttentionParts& parts) {
  const bool sink = !parts.sink.empty();
  std::string attrs = "is_causal = " + std::to_string(parts.causal ? 1 : 0);
  if (parts.left >= 0) attrs += ", left_window_size = " + std::to_string(parts.left);
  if (b.attrs().find_f("scale").value_or(0.0f) != 0) attrs += ", scale: float = @scale";
  if (b.attrs().declares("softcap") && b.attrs().find_f("softcap").value_or(0.0f) > 0)
    attrs += ", softcap: float = @softcap";
  attrs += ", qk_matmul_output_mode = " + std::to_string(sink ? 2 : parts.stage);
  b.add(
      std::string(sink ? "no_heads_y, present_k, present_v, stage_of_scores" : "heads_y, present_k, present_v, stage") +
      " = Attention <" + attrs + "> (q, " + parts.k + ", " + parts.v + ", " + parts.bias + ", " + parts.past_key +
      ", " + parts.past_value + ", " + parts.valid + ")");
  if (sink) attend_beside_sink(b, parts);
  const std::int64_t heads[] = {parts.heads};
  b.ints("head_count", heads);
  b.add(R"(
    y_by_token = Transpose <perm = [0, 2, 1, 3]> (heads_y)
    y_size = Shape <start = 3, end = 4> (heads_y)
    y_hidden = Mul (y_size, head_count)
    attended_shape = Concat <axis = 0> (batch, query_length, y_hidden)
    attended = Reshape (y_by_token, attended_shape)
  )");
}

}  // namespace norn::ops::microsoft
