#include "program/rewrite.h"

#include "base/text.h"

namespace norn::program {

Needs find_needs(const Graph& graph, bool known) {
  Needs needs{std::vector<bool>(graph.nodes.size(), false), std::vector<bool>(graph.values.size(), false)};
  for (ValueId id : graph.outputs) needs.values[id] = true;
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    const Node& node = graph.nodes[i];
    for (ValueId id : node.results())
      if (id != kNone && needs.values[id] && !(known && graph.value(id).known.constant.defined()))
        needs.nodes[i] = true;
    if (needs.nodes[i]) for_each_use(node, [&](ValueId id) { needs.values[id] = true; });
  }
  return needs;
}

std::string describe_node(const Node& node) {
  std::string text(node.op->name);
  if (!node.name.empty()) text.append(" ").append(base::quoted(node.name));
  return text;
}

}  // namespace norn::program
