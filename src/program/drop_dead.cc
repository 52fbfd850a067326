// Nodes whose outputs are not needed are removed, optional outputs that are not needed are left out (many kernels give
// only the first), and constants without readers give up their memory.
#include <algorithm>

#include "program/rewrite.h"
#include "program/rewriter.h"

namespace norn::program {

namespace {

// Only in the newest version: before it, how many outputs BatchNormalization gives says whether it trains.
bool may_leave_out(const Node& node, std::size_t output) {
  return node.parts.empty() && node.schema == &node.op->history.back() && output < node.schema->outputs.size() &&
         node.schema->outputs[output].option == opset::ParamOption::Optional;
}

void leave_out_unneeded(Graph& graph) {
  if (std::all_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) { return node.outputs.size() < 2; }))
    return;
  const Needs needs = find_needs(graph);
  for (Node& node : graph.nodes) {
    if (node.outputs.size() < 2) continue;
    for (std::size_t o = 0; o < node.outputs.size(); ++o)
      if (node.outputs[o] != kNone && !needs.values[node.outputs[o]] && may_leave_out(node, o)) node.outputs[o] = kNone;
    while (node.outputs.size() > 1 && node.outputs.back() == kNone && may_leave_out(node, node.outputs.size() - 1))
      node.outputs.pop_back();
  }
}

}  // namespace

void drop_dead(Program& program, Graph& graph) {
  Rewriter rewriter(program, graph);
  rewriter.each_backward([&](NodeId n) {
    for (ValueId id : rewriter.node(n).results())
      if (id != kNone && rewriter.reads(id) > 0) return;
    rewriter.drop(n);
  });
  for (ValueId id = 0; id < graph.values.size(); ++id)
    if (is_const(graph, id) && rewriter.reads(id) == 0) release(graph.value(id));
  rewriter.commit();
  leave_out_unneeded(graph);
}

}  // namespace norn::program
