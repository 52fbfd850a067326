// Nodes whose outputs nobody needs are removed, and constants that nobody reads give up their memory.
#include "program/rewrite.h"

namespace norn::program {

void drop_dead(Graph& graph) {
  const Needs needs = find_needs(graph);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (!needs.nodes[i]) graph.nodes[i].op = nullptr;
  compact(graph);
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    Value& value = graph.values[id];
    if (!needs.values[id] && value.origin == Origin::Constant) release(value);
  }
}

}  // namespace norn::program
