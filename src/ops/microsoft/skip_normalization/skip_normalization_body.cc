// The sum is a value of its own, in the inputs' type; what is normalised is that, computed as the standard operators
// do.
#include "ops/microsoft/domain.h"
#include "ops/microsoft/skip_normalization/skip_normalization.h"
#include "opset/function_body.h"

namespace norn::ops {
namespace microsoft {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

// The reciprocal of the root that RMSNormalization divides `of` by, which is no output of that.
void add_reciprocal_root(BodyBuilder& b, const std::string& of, DataType type, std::span<const std::int64_t> axes) {
  b.ints("root_axes", axes);
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

void add_sum(BodyBuilder& b, int bias) {
  b.add("skipped = Add (input, skip)");
  b.add(b.has_input(bias) ? "sum = Add (skipped, bias)" : "sum = Identity (skipped)");
  if (b.wants_output(3)) b.add("input_skip_bias_sum = Identity (sum)");
}

void skip_layer_normalization_body(BodyBuilder& b) {
  add_sum(b, 4);
  b.add("output, mean, inv_std_var = LayerNormalization <epsilon: float = @epsilon> (sum, gamma, beta)");
}

void skip_simplified_layer_normalization_body(BodyBuilder& b) {
  if (b.wants_output(1)) b.unsupported("the output mean is not computed: this normalisation does not subtract one");
  add_sum(b, 3);
  b.add("output = RMSNormalization <epsilon: float = @epsilon> (sum, gamma)");
  const std::int64_t last[] = {-1};
  if (b.wants_output(2)) add_reciprocal_root(b, "sum", DataType::Float, last);
}

void simplified_layer_normalization_body(BodyBuilder& b) {
  b.add(R"(Y = RMSNormalization <axis: int = @axis, epsilon: float = @epsilon, stash_type: int = @stash_type>
      (X, scale))");
  if (!b.wants_output(1)) return;
  std::int64_t axis = b.attrs().i("axis");
  if (axis >= 0) axis -= b.rank(0);
  if (axis >= 0) b.fail("axis " + std::to_string(b.attrs().i("axis")) + " is beyond the input's rank");
  std::vector<std::int64_t> axes;
  for (; axis < 0; ++axis) axes.push_back(axis);
  add_reciprocal_root(b, "X", static_cast<DataType>(b.attrs().i("stash_type")), axes);
}

void embed_layer_normalization_body(BodyBuilder& b) {
  const std::int64_t zero[] = {0}, one[] = {1};
  b.ints("zero", zero);
  b.ints("one", one);
  b.add("words = Gather (word_embedding, input_ids)");
  if (b.has_input(8))
    b.add("positions = Gather (position_embedding, position_ids)");
  else
    b.add("length = Shape <start = 1, end = 2> (input_ids) positions = Slice (position_embedding, zero, length, zero)");
  b.add("placed = Add (words, positions)");
  if (b.has_input(1) != b.has_input(4)) b.fail("segment_ids and segment_embedding come together");
  b.add(b.has_input(1) ? "segments = Gather (segment_embedding, segment_ids) embedded = Add (placed, segments)"
                       : "embedded = Identity (placed)");
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
}  // namespace microsoft

void skip_normalization_bodies(opset::BodyTable& table) {
  table.add(microsoft::SkipLayerNormalization, microsoft::kSkip);
  table.add(microsoft::SkipSimplifiedLayerNormalization, microsoft::kSkipSimplified);
  table.add(microsoft::SimplifiedLayerNormalization, microsoft::kSimplified);
  table.add(microsoft::EmbedLayerNormalization, microsoft::kEmbed);
}

}  // namespace norn::ops
