// Nodes that hand on their input: Identity, Dropout when it does not train, Cast to the type that is there already
// (a saturating Cast of an 8-bit float to itself is none of them: it turns infinities into the largest number).
#include <algorithm>

#include "ops/nn/dropout/dropout.h"
#include "ops/tensor/cast/cast.h"
#include "ops/tensor/identity/identity.h"
#include "program/node_parameters.h"
#include "program/rewrite.h"
#include "program/rewriter.h"

namespace norn::program {
namespace {

bool hands_on(const Graph& graph, const Node& node) {
  if (!node.parts.empty()) return false;
  if (node.op == &ops::Identity) return true;
  if (node.op == &ops::Cast) {
    const opset::ValueType& type = graph.value(node.inputs[0]).type;
    return type.is_tensor() && ops::resolve_cast(NodeParameters(node)).to == type.elem &&
           !((opset::types::kFloat8 >> static_cast<unsigned>(type.elem)) & 1u);
  }
  if (node.op != &ops::Dropout || (node.outputs.size() > 1 && node.outputs[1] != kNone)) return false;
  const auto training = ops::resolve_dropout(NodeParameters(node, &graph)).training;
  return training && !*training;
}

}  // namespace

void drop_identities(Program& program, Graph& graph) {
  const auto hands_on_here = [&](const Node& node) { return hands_on(graph, node); };
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(), hands_on_here)) return;
  Rewriter rewriter(program, graph);
  rewriter.each([&](NodeId n) {
    const Node& node = rewriter.node(n);
    if (hands_on_here(node)) rewriter.replace(node.outputs[0], node.inputs[0]);
  });
  rewriter.commit();
}

}  // namespace norn::program
