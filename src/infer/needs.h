// Which nodes of a document's graph, or of a function body, its outputs need.
#pragma once
#include <string_view>
#include <unordered_set>
#include <vector>

#include "ir/model.h"

namespace norn::infer {

struct Needs {
  std::vector<bool> nodes;                      // by index
  std::unordered_set<std::string_view> values;  // what outputs and needed nodes read; if by_outputs
  bool by_outputs = false;                      // else every node and value is needed

  bool value(std::string_view name) const { return !by_outputs || values.contains(name); }
};

// What graphs of a node read counts as read by the node, even if the graph itself defines it. Every node of a graph
// without outputs is needed.
Needs find_needs(const std::vector<ir::Node>& nodes, const std::vector<std::string_view>& outputs);

}  // namespace norn::infer
