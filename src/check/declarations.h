// What graphs declare of their values, by name: for the places of findings and for rules about single operators.
#pragma once
#include <string>
#include <string_view>

#include "check/context.h"
#include "check/text.h"
#include "ir/model.h"

namespace norn::checks {

struct Declaration {
  const ir::Type* type = nullptr;  // of the first entry with one among inputs, value_info and outputs
  const ir::Tensor* initializer = nullptr;
  const ir::SparseTensor* sparse_initializer = nullptr;
};
using Declarations = TextMap<Declaration>;

// Of a graph, or with none of the function around. Made when it is first asked for and kept for the whole check: ask
// where something is found, or for what few models have.
const Declarations& declarations_of(Context& ctx, const ir::Graph* graph);
// The graph of a visible definition: one of those around the present point; null for what a function's body defines.
const ir::Graph* graph_of(const Context& ctx, const Definition& definition);

// visit(name) for every value that a graph itself defines: its inputs, initializers and nodes' outputs.
template <class Visit>
void for_each_defined(const ir::Graph& graph, Visit visit) {
  const auto name = [&](const std::string& n) {
    if (!n.empty()) visit(std::string_view(n));
  };
  for (const ir::ValueInfo& v : graph.input) name(v.name.get());
  for (const ir::Tensor& t : graph.initializer) name(t.name.get());
  for (const ir::SparseTensor& s : graph.sparse_initializer) {
    if (s.values) name(s.values->name.get());
  }
  for (const ir::Node& n : graph.node) {
    for (const std::string& output : n.output) name(output);
  }
}

}  // namespace norn::checks
