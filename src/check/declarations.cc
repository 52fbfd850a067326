#include "check/declarations.h"

namespace norn::checks {
namespace {

struct DeclarationState {
  std::unordered_map<const void*, Declarations> of;  // a graph or a function
};

}  // namespace

const Declarations& declarations_of(Context& ctx, const ir::Graph* graph) {
  const void* key = graph ? static_cast<const void*>(graph) : ctx.function();
  auto [at, is_new] = ctx.state<DeclarationState>().of.try_emplace(key);
  Declarations& found = at->second;
  if (!is_new) return found;
  const auto add = [&](const std::vector<ir::ValueInfo>& values) {
    for (const ir::ValueInfo& value : values) {
      if (!value.type || value.name.get().empty()) continue;
      const ir::Type*& type = found[value.name.get()].type;
      if (!type) type = &*value.type;
    }
  };
  if (!graph) {
    if (ctx.function()) add(ctx.function()->value_info);
    return found;
  }
  for (const auto* list : {&graph->input, &graph->value_info, &graph->output}) add(*list);
  for (const ir::Tensor& tensor : graph->initializer) {
    const ir::Tensor*& initializer = found[tensor.name.get()].initializer;
    if (!initializer) initializer = &tensor;
  }
  for (const ir::SparseTensor& tensor : graph->sparse_initializer) {
    if (!tensor.values) continue;
    const ir::SparseTensor*& initializer = found[tensor.values->name.get()].sparse_initializer;
    if (!initializer) initializer = &tensor;
  }
  return found;
}

const ir::Graph* graph_of(const Context& ctx, const Definition& definition) {
  const auto& graphs = ctx.graphs();
  return graphs[graphs.size() - 1 - ctx.scopes().frames_out(definition.frame)];
}

}  // namespace norn::checks
