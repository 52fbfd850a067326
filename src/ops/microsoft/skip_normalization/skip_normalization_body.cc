// The sum is a value of its own, in the inputs' type; what is normalised is that, computed as the standard operators
// do.
#include "ops/common/body_guard.h"
#include "ops/microsoft/domain.h"
#include "ops/microsoft/skip_normalization/skip_normalization.h"
#include "ops/nn/layer_normalization/layer_normalization.h"
#include "ops/nn/layer_normalization/normalized_axes.h"
#include "opset/function_body.h"

namespace norn::ops {
namespace microsoft {
inline namespace skip_normalization_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

// The reciprocal of the root that RMSNormalization divides `of` by, which is not one of its outputs; over `root_axes`.
void add_reciprocal_root(BodyBuilder& b, const std::string& of, DataType type) {
  b.scalar("root_epsilon", type, static_cast<double>(b.attrs().f("epsilon")));
  b.add("root_x = Cast <to = " + std::to_string(static_cast<int>(type)) + "> (" + of + ")");
  b.add(R"(
    root_squares = Mul (root_x, root_x)
    root_mean = ReduceMean (root_squares, root_axes)
    root_sum = Add (root_mean, root_epsilon)
    root = Sqrt (root_sum)
    inv_std_var = Reciprocal (root)
  )");
}

// Whether inference knows that an axis of one input is as long as that of another, or of one element.
bool is_compared(const BodyBuilder& b, int i, int with) {
  if (!b.type(i).has_rank() || !b.type(with).has_rank()) return false;
  const opset::DimExpr &size = b.type(i).shape->front(), &wanted = b.type(with).shape->front();
  return size.is_constant() || size == wanted;
}

// `skipped`: the sum, of the input's shape. What of that inference could not compare is the target of a Reshape.
void add_skipped(BodyBuilder& b) {
  const bool ranked = b.type(0).has_rank() && b.type(1).has_rank();
  if (ranked && (b.type(1).shape->size() == 2 || is_compared(b, 1, 0))) return b.add("skipped = Add (input, skip)");
  const std::int64_t one[] = {1};
  b.ints("one_batch", one);
  b.add(R"(
    rows_and_columns = Shape <start = -2> (input)
    batch_of_input = Shape <end = -2> (input)
    batch_of_skip = Shape <end = -2> (skip)
    is_for_all = Equal (batch_of_skip, one_batch)
    batch_to_be = Where (is_for_all, batch_of_skip, batch_of_input)
    skip_shape = Concat <axis = 0> (batch_to_be, rows_and_columns)
    fitting_skip = Reshape <allowzero = 1> (skip, skip_shape)
  )");
  if (ranked) return b.add("skipped = Add (input, fitting_skip)");
  b.add("grown = Add (input, fitting_skip) input_shape = Shape (input)");
  b.add("skipped = Reshape <allowzero = 1> (grown, input_shape)");
}

// `to`: the list of input `i`, with a number for each element of the last axis; nothing compared that beside inputs of
// unknown ranks. Nothing if the node has none.
std::string add_list(BodyBuilder& b, int i, const std::string& name) {
  if (!b.has_input(i)) return "";
  if (b.type(0).has_rank() || b.type(1).has_rank()) return name;
  b.add(name + "_width = Shape <start = -1> (input) fitting_" + name + " = Reshape (" + name + ", " + name + "_width)");
  return "fitting_" + name;
}

void add_sum(BodyBuilder& b, int bias) {
  add_skipped(b);
  b.add(b.has_input(bias) ? "sum = Add (skipped, " + add_list(b, bias, "bias") + ")" : "sum = Identity (skipped)");
  if (b.wants_output(3)) b.add("input_skip_bias_sum = Identity (sum)");
}

void skip_layer_normalization_body(BodyBuilder& b) {
  add_sum(b, 4);
  const std::string gamma = add_list(b, 2, "gamma"), beta = add_list(b, 3, "beta");
  b.add("output, mean, inv_std_var = LayerNormalization <epsilon: float = @epsilon> (sum, " + gamma + ", " + beta +
        ")");
}

void skip_simplified_layer_normalization_body(BodyBuilder& b) {
  if (b.wants_output(1)) b.unsupported("the output mean is not computed: this normalisation does not subtract one");
  add_sum(b, 3);
  b.add("output = RMSNormalization <epsilon: float = @epsilon> (sum, " + add_list(b, 2, "gamma") + ")");
  const std::int64_t last[] = {-1};
  if (!b.wants_output(2)) return;
  b.ints("root_axes", last);
  add_reciprocal_root(b, "sum", DataType::Float);
}

void simplified_layer_normalization_body(BodyBuilder& b) {
  b.add(R"(Y = RMSNormalization <axis: int = @axis, epsilon: float = @epsilon, stash_type: int = @stash_type>
      (X, scale))");
  if (!b.wants_output(1)) return;
  const RowNormParams p = resolve_row_norm(b);
  add_normalized_axes(b, "root_axes", p.axis);
  add_reciprocal_root(b, "X", p.stash);
}

void embed_layer_normalization_body(BodyBuilder& b) {
  const std::int64_t zero[] = {0}, one[] = {1};
  b.ints("zero", zero);
  b.ints("one", one);
  // An id counts from the front; Gather would take a negative one from behind.
  add_index_guard(b, "input_ids", DataType::Int32, "id_from_0");
  b.add("words = Gather (word_embedding, id_from_0)");
  if (b.has_input(8)) {
    if (!is_compared(b, 8, 0)) {
      b.add(R"(
        ids_shape = Shape (input_ids)
        positions_shape = Shape (position_ids)
        is_one = Equal (positions_shape, one)
        ids_or_one = Where (is_one, positions_shape, ids_shape)
      )");
      b.add("fitting_at = Reshape <allowzero = 1> (position_ids, ids_or_one)");
    } else {
      b.add("fitting_at = Identity (position_ids)");
    }
    add_index_guard(b, "fitting_at", DataType::Int32, "position_from_0");
    b.add("positions = Gather (position_embedding, position_from_0)");
  } else {
    b.add("length = Shape <start = 1, end = 2> (input_ids) rows = Slice (position_embedding, zero, length, zero)");
    // A single row would be that of all tokens.
    if (b.size_or_unknown(3, 0) > 1)
      b.add("positions = Identity (rows)");
    else
      b.add(
          "width = Shape <start = 1, end = 2> (position_embedding) rows_shape = Concat <axis = 0> (length, width) "
          "positions = Reshape <allowzero = 1> (rows, rows_shape)");
  }
  b.add("placed = Add (words, positions)");
  if (b.has_input(1) != b.has_input(4)) b.fail("segment_ids and segment_embedding come together");
  if (b.has_input(1)) {
    add_index_guard(b, "segment_ids", DataType::Int32, "segment_from_0");
    b.add("segments = Gather (segment_embedding, segment_from_0) embedded = Add (placed, segments)");
  } else {
    b.add("embedded = Identity (placed)");
  }
  b.add("output = LayerNormalization <epsilon: float = @epsilon> (embedded, gamma, beta)");
  if (b.wants_output(2)) b.add("embedding_sum = Identity (embedded)");
  if (!b.wants_output(1)) return;
  b.add("none_counted = Constant <value = int32 {0}> () word = Constant <value = int32 {1}> ()");
  if (b.has_input(7))
    b.add(R"(
      is_word = Equal (mask, word)
      words_counted = Where (is_word, word, none_counted)
      mask_index = ReduceSum <keepdims = 0> (words_counted, one)
    )");
  else
    b.add("batch = Shape <start = 0, end = 1> (input_ids) mask_index = Expand (none_counted, batch)");
}

constexpr FunctionBody kSkip[] = {{.since = 1, .opset = kBodyOpset, .build = skip_layer_normalization_body}};
constexpr FunctionBody kSkipSimplified[] = {
    {.since = 1, .opset = kBodyOpset, .build = skip_simplified_layer_normalization_body}};
constexpr FunctionBody kSimplified[] = {
    {.since = 1, .opset = kBodyOpset, .build = simplified_layer_normalization_body}};
constexpr FunctionBody kEmbed[] = {{.since = 1, .opset = kBodyOpset, .build = embed_layer_normalization_body}};

}  // namespace
}  // namespace skip_normalization_body_cc
}  // namespace microsoft

void skip_normalization_bodies(opset::BodyTable& table) {
  table.add(microsoft::SkipLayerNormalization, microsoft::kSkip);
  table.add(microsoft::SkipSimplifiedLayerNormalization, microsoft::kSkipSimplified);
  table.add(microsoft::SimplifiedLayerNormalization, microsoft::kSimplified);
  table.add(microsoft::EmbedLayerNormalization, microsoft::kEmbed);
}

}  // namespace norn::ops
