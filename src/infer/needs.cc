#include "infer/needs.h"

namespace norn::infer {
namespace {

using Names = std::unordered_set<std::string_view>;

void add_reads(const ir::Node& node, Names& names);

void add_reads(const ir::Graph& graph, Names& names) {
  for (const ir::Node& node : graph.node) add_reads(node, names);
  for (const ir::ValueInfo& output : graph.output) names.insert(output.name.get());
}

void add_reads(const ir::Node& node, Names& names) {
  for (const std::string& name : node.input)
    if (!name.empty()) names.insert(name);
  for (const ir::Attribute& attr : node.attribute) {
    if (attr.g) add_reads(*attr.g, names);
    for (const ir::Graph& graph : attr.graphs) add_reads(graph, names);
  }
}

}  // namespace

Needs find_needs(const std::vector<ir::Node>& nodes, const std::vector<std::string_view>& outputs) {
  if (outputs.empty()) return {std::vector<bool>(nodes.size(), true), {}, false};
  Needs needs{std::vector<bool>(nodes.size(), false), Names(outputs.begin(), outputs.end()), true};
  for (std::size_t i = nodes.size(); i-- > 0;) {
    for (const std::string& name : nodes[i].output)
      if (!name.empty() && needs.values.contains(name)) needs.nodes[i] = true;
    if (needs.nodes[i]) add_reads(nodes[i], needs.values);
  }
  return needs;
}

}  // namespace norn::infer
