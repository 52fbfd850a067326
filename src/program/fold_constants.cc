// Nodes whose inputs are all constants are computed once, now, by their reference kernels. What inference found out
// anyway (shapes, small arithmetic) becomes a constant without computing anything.
#include <vector>

#include "opset/reference.h"
#include "program/rewrite.h"

namespace norn::program {
namespace {

// A folded output beyond this is left to be computed: folding must not blow a model up.
constexpr std::int64_t kMaxFoldedBytes = std::int64_t{1} << 30;

void make_constant(Value& value, norn::Tensor contents) {
  value.origin = Origin::Constant;
  value.type = opset::ValueType::tensor(contents.dtype(), opset::Dims(contents.dims().begin(), contents.dims().end()));
  value.constant = std::move(contents);
}

bool already_known(Graph& graph, const Node& node) {
  for (ValueId id : node.outputs)
    if (id != kNone && !graph.value(id).known.constant.defined()) return false;
  for (ValueId id : node.outputs)
    if (id != kNone) make_constant(graph.value(id), graph.value(id).known.constant);
  return true;
}

bool computable(const Graph& graph, const Node& node) {
  if (node.schema->determinism == opset::Determinism::NonDeterministic || !node.subgraphs.empty() || !node.post.empty())
    return false;
  if (!opset::find_reference(*node.op, node.schema->since)) return false;
  for (ValueId id : node.inputs)
    if (id != kNone && !is_const(graph, id)) return false;
  for (ValueId id : node.outputs) {
    if (id == kNone) continue;
    const opset::ValueType& type = graph.value(id).type;
    if (!type.is_static()) return false;
    std::int64_t bytes = static_cast<std::int64_t>(element_size(type.elem));
    for (const opset::DimExpr& d : *type.shape)
      if (__builtin_mul_overflow(bytes, d.constant(), &bytes) || bytes > kMaxFoldedBytes) return false;
  }
  return true;
}

}  // namespace

void fold_constants(Graph& graph) {
  for (Node& node : graph.nodes) {
    if (!node.op) continue;
    if (node.schema->determinism != opset::Determinism::NonDeterministic && already_known(graph, node)) {
      node.op = nullptr;
      continue;
    }
    if (!computable(graph, node)) continue;
    std::vector<norn::Value> values;
    values.reserve(node.inputs.size());
    for (ValueId id : node.inputs)
      values.push_back(id == kNone ? norn::Value() : norn::Value(graph.value(id).constant));
    std::vector<const norn::Value*> inputs;
    for (std::size_t i = 0; i < values.size(); ++i) inputs.push_back(node.inputs[i] == kNone ? nullptr : &values[i]);
    std::vector<norn::Value> outputs;
    try {
      outputs = opset::evaluate(*node.op, node.attributes(), inputs, static_cast<int>(node.outputs.size()));
    } catch (Error& e) {
      throw e.within(node.path());
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
      if (node.outputs[i] != kNone) make_constant(graph.value(node.outputs[i]), std::move(outputs[i].tensor()));
    node.op = nullptr;
  }
  compact(graph);
}

}  // namespace norn::program
