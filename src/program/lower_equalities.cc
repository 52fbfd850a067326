// Equalities of sizes, solved when all nodes are there. They come from nodes that the model's outputs need, even if
// only an output's sizes are read: those are known only if the node's equalities hold. An equality of a node holds for
// its graph and those in it; one from a branch holds there, since the branch may not run, and in the graph around only
// if the other branch of the If has it too.
//
// In a branch, what contradicts the rest is left out rather than refused: another branch may be the one that runs, and
// planning the branch for real sizes refuses them.
#include "base/text.h"
#include "norn/error.h"
#include "ops/controlflow/if/if.h"
#include "program/inlined.h"
#include "program/lowerer.h"
#include "program/rewrite.h"

namespace norn::program {
namespace {

[[noreturn]] void fail(const Equality& said, const Error& why, const Graph& graph) {
  const Node& node = graph.nodes[said.node];
  std::string inputs;
  for (ValueId id : node.inputs)
    inputs += (inputs.empty() ? "" : ", ") +
              (id == kNone ? std::string("none")
                           : base::quoted(graph.value(id).name) + " " + graph.value(id).type.to_string());
  Error error(why.code(), said.what + " must be equal: " + why.message(), node.path() + " / inputs (" + inputs + ")",
              why.hint());
  if (const Inlined* inlined = inlined_around(graph, node.path()))
    error = of_operator(*inlined, error, describe_inputs(*inlined), why.hint());
  throw error.help(
      "the model contradicts itself here, whatever it is fed: nodes need different sizes of "
      "one dimension; correct one of them, or the sizes that inputs declare");
}

}  // namespace

void Lowerer::resolve_values(Graph& graph) const {
  if (symbols_.empty()) return;
  for (Value& value : graph.values) {
    value.type = symbols_.resolve(value.type);
    if (value.known.ints)
      for (opset::DimExpr& e : *value.known.ints) e = symbols_.resolve(e);
    if (value.known.fractions)
      for (opset::Fraction& f : *value.known.fractions) f.numerator = symbols_.resolve(f.numerator);
  }
  for (Inlined& inlined : graph.inlined)
    for (Inlined::Input& input : inlined.inputs) input.type = symbols_.resolve(input.type);
}

void Lowerer::forget(const Graph& graph) {
  equalities_.erase(&graph);
  for (const Node& node : graph.nodes)
    for (const Subgraph& sub : node.subgraphs) forget(*sub.graph);
}

void Lowerer::solve(Graph& graph, bool branch) {
  const std::vector<bool> runs = find_needs(graph).nodes;
  if (const auto said = equalities_.find(&graph); said != equalities_.end()) {
    for (const Equality& e : said->second) {
      if (!runs[e.node]) continue;
      try {
        symbols_.equal(e.left, e.right);
      } catch (const Error& why) {
        if (!branch) fail(e, why, graph);
      }
    }
  }
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    Node& node = graph.nodes[i];
    if (!runs[i] || node.subgraphs.empty()) continue;
    infer::Branches branches(symbols_);
    for (Subgraph& sub : node.subgraphs) {
      branches.enter();
      solve(*sub.graph, true);
      branches.leave();
    }
    if (node.op == &ops::If && node.subgraphs.size() == 2) branches.join(infer::kNowhere);
  }
  resolve_values(graph);
}

}  // namespace norn::program
