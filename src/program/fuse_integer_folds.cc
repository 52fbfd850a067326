// Since version 28 ReduceLogSumExp takes no integers: lifting a node of them puts a Cast to double before it and one
// back behind it (reduce_adapt.cc), and models have such chains of their own. They become one node, whose kernel reads
// the integers. What it does not take is planned as it was.
#include <algorithm>
#include <array>

#include "ops/reduction/reduce/reduce.h"
#include "ops/tensor/cast/cast.h"
#include "program/rewrite.h"
#include "program/rewriter.h"

namespace norn::program {
namespace {

bool is_wide_integer(DataType type) {
  return type == DataType::Int32 || type == DataType::Int64 || type == DataType::Uint32 || type == DataType::Uint64;
}

}  // namespace

void fuse_integer_folds(Program& program, Graph& graph) {
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(),
                   [](const Node& node) { return node.op == &ops::ReduceLogSumExp; }))
    return;
  Rewriter rewriter(program, graph);
  const auto type_of = [&](ValueId id) { return graph.value(id).type.elem; };
  // The node of this operator that alone reads the value, as its first input.
  const auto behind = [&](ValueId made, const opset::Operator& op) {
    const NodeId reader = rewriter.only_reader(made);
    if (reader == kNoNode) return kNoNode;
    const Node& node = rewriter.node(reader);
    return node.op == &op && node.parts.empty() && node.inputs[0] == made ? reader : kNoNode;
  };
  rewriter.each([&](NodeId n) {
    const Node& cast = rewriter.node(n);
    if (cast.op != &ops::Cast || !cast.parts.empty() || type_of(cast.outputs[0]) != DataType::Double ||
        !is_wide_integer(type_of(cast.inputs[0])))
      return;
    const DataType type = type_of(cast.inputs[0]);
    const NodeId fold = behind(cast.outputs[0], ops::ReduceLogSumExp);
    if (fold == kNoNode) return;
    // A plan has to know the sizes of all parts.
    if (const ValueId axes = rewriter.node(fold).input(1); axes != kNone && !is_const(graph, axes)) return;
    const NodeId back = behind(rewriter.node(fold).outputs[0], ops::Cast);
    if (back == kNoNode || type_of(rewriter.node(back).outputs[0]) != type) return;
    rewriter.fuse(std::array{n, fold, back});
  });
  rewriter.commit();
}

}  // namespace norn::program
