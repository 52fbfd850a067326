// As Attention, with graphs of the node's applied to scores and probabilities. Such a graph is the branch of an If that
// is always taken: it sees what the node sees, and its names are its own.
#include "ops/preview/flex_attention/flex_attention.h"
#include "opset/function_body.h"

namespace norn::ops {
inline namespace flex_attention_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

ir::Node make_node(const char* op, const std::string& input, const std::string& output) {
  ir::Node node;
  node.op_type = std::string(op);
  node.input.push_back(input);
  node.output.push_back(output);
  return node;
}

// `to` is the graph's output for the input `from`; both are names that no graph of a user has.
void apply(BodyBuilder& b, const char* attribute, const std::string& from, const std::string& to) {
  const ir::Graph* graph = b.attrs().graph(attribute);
  if (!graph) return b.add(to + " = Identity (" + from + ")");
  if (graph->input.size() != 1 || graph->output.size() != 1)
    b.fail("the graph " + std::string(attribute) + " has " + std::to_string(graph->input.size()) + " inputs and " +
           std::to_string(graph->output.size()) + " outputs, but has to have one of each");
  ir::Graph branch = *graph;
  branch.input.clear();
  branch.node.insert(branch.node.begin(), make_node("Identity", from, graph->input[0].name.get()));
  ir::Node node = make_node("If", "__flex_attention_taken", to);
  for (const char* name : {"then_branch", "else_branch"}) {
    ir::Attribute& attr = node.attribute.emplace_back();
    attr.name = std::string(name);
    attr.type = static_cast<std::int32_t>(ir::AttributeType::Graph);
    attr.g.mut() = branch;
  }
  b.add(std::move(node));
}

void flex_attention_body(BodyBuilder& b) {
  for (int i = 0; i < 3; ++i)
    if (b.rank(i) != 4)
      b.fail("input " + std::to_string(i) + " has rank " + std::to_string(b.rank(i)) + ", but needs 4");
  const std::int64_t heads = b.size(0, 1), kv_heads = b.size(1, 1);
  if (kv_heads <= 0 || heads % kv_heads != 0)
    b.fail("the query's " + std::to_string(heads) + " heads are not a multiple of the key's " +
           std::to_string(kv_heads));
  const bool is_double = b.elem(0) == DataType::Double;
  const auto precision =
      static_cast<DataType>(b.attrs()
                                .find_i("softmax_precision")
                                .value_or(static_cast<std::int64_t>(is_double ? DataType::Double : DataType::Float)));
  const std::string to = "Cast <to = " + std::to_string(static_cast<int>(precision)) + "> ";
  const std::int64_t grouped[] = {kv_heads, heads / kv_heads}, joined[] = {heads}, group_axis[] = {2};
  b.ints("__flex_grouped", grouped);
  b.ints("__flex_joined", joined);
  b.ints("__flex_group_axis", group_axis);
  b.add(R"(
    __flex_attention_taken = Constant <value = bool {1}> ()
    __flex_batch = Shape <start = 0, end = 1> (__Q)
    __flex_query_rest = Shape <start = 2> (__Q)
    __flex_q_length = Shape <start = 2, end = 3> (__Q)
    __flex_kv_length = Shape <start = 2, end = 3> (__K)
    __flex_q_shape = Concat <axis = 0> (__flex_batch, __flex_grouped, __flex_query_rest)
    __flex_q = Reshape (__Q, __flex_q_shape)
    __flex_k = Unsqueeze (__K, __flex_group_axis)
    __flex_k_transposed = Transpose <perm = [0, 1, 2, 4, 3]> (__flex_k)
    __flex_products = MatMul (__flex_q, __flex_k_transposed)
    __flex_score_shape = Concat <axis = 0> (__flex_batch, __flex_joined, __flex_q_length, __flex_kv_length)
    __flex_raw = Reshape (__flex_products, __flex_score_shape)
  )");
  b.add("__flex_raw_wide = " + to + "(__flex_raw)");
  if (const auto scale = b.attrs().find_f("scale"))
    b.scalar("__flex_scale", precision, static_cast<double>(*scale));
  else
    b.add(
        "__flex_size_list = Shape <start = 3, end = 4> (__Q) __flex_size = Squeeze (__flex_size_list) __flex_size_wide "
        "= " +
        to + "(__flex_size) __flex_size_root = Sqrt (__flex_size_wide) __flex_scale = Reciprocal (__flex_size_root)");
  b.add("__flex_attention_scores = Mul (__flex_raw_wide, __flex_scale)");
  apply(b, "score_mod", "__flex_attention_scores", "__flex_attention_logits");
  b.add("__flex_attention_shares = Softmax <axis = -1> (__flex_attention_logits)");
  apply(b, "prob_mod", "__flex_attention_shares", "__flex_attention_weights");
  b.add(R"(
    __flex_weights = CastLike (__flex_attention_weights, __V)
    __flex_weights_shape = Concat <axis = 0> (__flex_batch, __flex_grouped, __flex_q_length, __flex_kv_length)
    __flex_weights_grouped = Reshape (__flex_weights, __flex_weights_shape)
    __flex_v = Unsqueeze (__V, __flex_group_axis)
    __flex_y_grouped = MatMul (__flex_weights_grouped, __flex_v)
    __flex_v_size = Shape <start = 3, end = 4> (__V)
    __flex_y_shape = Concat <axis = 0> (__flex_batch, __flex_joined, __flex_q_length, __flex_v_size)
    __Y = Reshape (__flex_y_grouped, __flex_y_shape)
  )");
}

// The graphs' nodes are of the operator sets that the caller imports, and so are the others.
constexpr FunctionBody kFlexAttentionBodies[] = {{.since = 1, .build = flex_attention_body}};

}  // namespace
}  // namespace flex_attention_body_cc

void flex_attention_bodies(opset::BodyTable& table) { table.add(FlexAttention, kFlexAttentionBodies); }

}  // namespace norn::ops
