#include "program/rewrite.h"

#include <algorithm>

namespace norn::program {

UseIndex::UseIndex(const Graph& graph)
    : producer_(graph.values.size(), -1), uses_(graph.values.size(), 0), reader_(graph.values.size(), -1) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (!node.op) continue;
    for (ValueId id : node.outputs)
      if (id != kNone) producer_[id] = static_cast<int>(i);
    for_each_use(node, [&](ValueId id) {
      ++uses_[id];
      reader_[id] = static_cast<int>(i);
    });
  }
  for (ValueId id : graph.outputs) {
    ++uses_[id];
    reader_[id] = -1;
  }
}

Needs find_needs(const Graph& graph, bool known) {
  Needs needs{std::vector<bool>(graph.nodes.size(), false), std::vector<bool>(graph.values.size(), false)};
  for (ValueId id : graph.outputs) needs.values[id] = true;
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    const Node& node = graph.nodes[i];
    if (!node.op) continue;
    for (ValueId id : node.outputs)
      if (id != kNone && needs.values[id] && !(known && graph.value(id).known.constant.defined()))
        needs.nodes[i] = true;
    if (needs.nodes[i]) for_each_use(node, [&](ValueId id) { needs.values[id] = true; });
  }
  return needs;
}

void for_each_graph(Graph& graph, const std::function<void(Graph&)>& f) {
  for (Node& node : graph.nodes)
    for (Subgraph& sub : node.subgraphs) for_each_graph(*sub.graph, f);
  f(graph);
}

void compact(Graph& graph) {
  graph.nodes.erase(std::remove_if(graph.nodes.begin(), graph.nodes.end(), [](const Node& n) { return !n.op; }),
                    graph.nodes.end());
}

void redirect_all(Graph& graph, const std::vector<ValueId>& to) {
  auto target = [&](ValueId id) {
    while (to[id] != id) id = to[id];
    return id;
  };
  for (Node& node : graph.nodes)
    if (node.op) replace_uses(node, target);
  for (ValueId& id : graph.outputs) id = target(id);
}

}  // namespace norn::program
