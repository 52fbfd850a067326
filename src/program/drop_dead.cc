// Nodes whose outputs nobody needs are removed, and constants that nobody reads give up their memory.
#include "program/rewrite.h"

namespace norn::program {

void drop_dead(Graph& graph) {
  std::vector<bool> needed(graph.values.size(), false);
  for (ValueId id : graph.outputs) needed[id] = true;
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    Node& node = graph.nodes[i];
    if (!node.op) continue;
    bool alive = false;
    for (ValueId id : node.outputs) alive = alive || (id != kNone && needed[id]);
    if (!alive) {
      node.op = nullptr;
      continue;
    }
    for_each_use(node, [&](ValueId id) { needed[id] = true; });
  }
  compact(graph);
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    Value& value = graph.values[id];
    if (needed[id] || value.origin != Origin::Constant) continue;
    value.constant = {};
    value.known = {};
  }
}

}  // namespace norn::program
