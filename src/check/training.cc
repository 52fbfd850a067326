// Training information: what binds graphs' outputs to the initializers that training changes.
//
// An algorithm runs joined to the main graph, main graph first, so their names must not clash, the algorithm may read
// what the main graph computes, and never the other way round. The walk checks each graph by itself and resolves what
// is read; what is asked here is how graphs and bindings fit together. Types are compared as far as they are
// declared.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/declarations.h"
#include "check/rule_checks.h"
#include "check/text.h"
#include "ir/walk.h"
#include "norn/types.h"

namespace norn::checks {
namespace {

using Names = TextSet;

// A tensor's type as far as it is declared; open dimensions are -1.
struct Declared {
  std::int32_t elem = 0;
  std::optional<std::vector<std::int64_t>> dims;
  const ir::Type* other = nullptr;  // it is not a tensor, but of this type

  std::string to_string() const {
    if (other) return bare(ir::describe_type(*other));
    std::string text(data_type_name(static_cast<DataType>(elem > 0 && elem < kDataTypeCount ? elem : 0)));
    if (!dims) return text;
    text += '[';
    for (std::size_t i = 0; i < dims->size(); ++i) {
      if (i) text += ',';
      text += (*dims)[i] < 0 ? std::string("?") : std::to_string((*dims)[i]);
    }
    return text + "]";
  }
};
using Table = TextMap<Declared>;

Declared declared(const ir::Tensor& tensor) { return {tensor.data_type.get(), tensor.dims}; }
Declared declared(const ir::Type& type) {
  const ir::Box<ir::TypeTensor>& tensor = type.tensor_type ? type.tensor_type : type.sparse_tensor_type;
  if (!tensor) {
    const bool known = type.sequence_type || type.map_type || type.optional_type || type.opaque_type;
    return {.other = known ? &type : nullptr};
  }
  Declared found{tensor->elem_type.get(), {}};
  if (!tensor->shape) return found;
  found.dims.emplace();
  for (const ir::Dimension& d : tensor->shape->dim) {
    found.dims->push_back(d.dim_value.has() && d.dim_value.get() >= 0 ? d.dim_value.get() : -1);
  }
  return found;
}

// `variable` is an initializer, so a tensor.
bool may_agree(const Declared& variable, const Declared& value) {
  if (value.other) return false;
  const Declared &a = variable, &b = value;
  if (a.elem != 0 && b.elem != 0 && a.elem != b.elem) return false;
  if (!a.dims || !b.dims) return true;
  if (a.dims->size() != b.dims->size()) return false;
  for (std::size_t i = 0; i < a.dims->size(); ++i) {
    const std::int64_t x = (*a.dims)[i], y = (*b.dims)[i];
    if (x >= 0 && y >= 0 && x != y) return false;
  }
  return true;
}

Table initializers_of(const ir::Graph* graph) {
  Table found;
  if (!graph) return found;
  for (const ir::Tensor& t : graph->initializer) found.emplace(t.name.get(), declared(t));
  for (const ir::SparseTensor& s : graph->sparse_initializer) {
    if (s.values) found.emplace(s.values->name.get(), Declared{s.values->data_type.get(), s.dims});
  }
  return found;
}

Table outputs_of(const ir::Graph* graph, const Table& initializers) {
  Table found;
  if (!graph) return found;
  TextMap<const ir::Type*> types;  // of the first entry with one
  for (const auto* list : {&graph->output, &graph->value_info, &graph->input}) {
    for (const ir::ValueInfo& v : *list) {
      if (v.type) types.try_emplace(v.name.get(), &*v.type);
    }
  }
  for (const ir::ValueInfo& v : graph->output) {
    const auto constant = initializers.find(v.name.get());
    const auto type = types.find(v.name.get());
    found.emplace(v.name.get(), constant != initializers.end() ? constant->second
                                : type != types.end()          ? declared(*type->second)
                                                               : Declared{});
  }
  return found;
}

struct AlgorithmState {
  bool known = false;
  Names defined;
};

class Entry {
 public:
  Entry(Context& ctx, const Place& place, const ir::TrainingInfo& info, const Table& main_variables,
        const Table& main_outputs)
      : ctx_(ctx),
        place_(place),
        info_(info),
        main_variables_(main_variables),
        main_outputs_(main_outputs),
        variables_(initializers_of(graph(info.algorithm))) {}

  void check_initialization() const {
    if (info_.initialization && !info_.initialization->input.empty()) {
      ctx_.report("train.init.no-inputs", place_.at("initialization", -1, info_.initialization->name.get()),
                  "the initialization graph has " + std::to_string(info_.initialization->input.size()) +
                      " inputs, but nothing feeds it",
                  "make them initializers");
    }
    const ir::Graph* from = graph(info_.initialization);
    const Table values = outputs_of(from, initializers_of(from));
    Names seen;
    for (std::size_t i = 0; i < info_.initialization_binding.size(); ++i) {
      const auto& binding = info_.initialization_binding[i];
      const Place at = place_.at("initialization_binding", static_cast<std::int64_t>(i), binding.key.get());
      if (!seen.insert(binding.key.get()).second) {
        ctx_.report("train.binding.init-unique", at,
                    "the variable " + quoted(binding.key.get()) + " is bound twice by one initialization",
                    "keep one of the bindings");
      }
      const Declared* variable = check_key(at, binding);
      const auto value = values.find(binding.value.get());
      if (value == values.end()) {
        ctx_.report(
            "train.binding.init-value", at,
            "the binding's value " + quoted(binding.value.get()) +
                (from ? " is not an output of the initialization graph" : " has no initialization graph to come from"),
            "list it among the initialization graph's outputs");
      } else if (variable) {
        check_types(at, binding, *variable, value->second);
      }
    }
  }

  void check_update(Names& bound_by_others) const {
    const Table values = outputs_of(graph(info_.algorithm), variables_);
    Names seen;
    for (std::size_t i = 0; i < info_.update_binding.size(); ++i) {
      const auto& binding = info_.update_binding[i];
      const Place at = place_.at("update_binding", static_cast<std::int64_t>(i), binding.key.get());
      if (!seen.insert(binding.key.get()).second) {
        ctx_.report("train.binding.update-unique", at,
                    "the variable " + quoted(binding.key.get()) + " is bound twice by one update",
                    "keep one of the bindings");
      } else if (bound_by_others.contains(binding.key.get())) {
        ctx_.warn("train.binding.update-unique", at,
                  "the variable " + quoted(binding.key.get()) + " is bound by an earlier training_info too",
                  "runtimes that run one training_info at a time, as for alternating optimizers, take this; others "
                  "want each variable updated in one place");
      }
      const Declared* variable = check_key(at, binding);
      auto value = values.find(binding.value.get());
      bool found = value != values.end();
      if (!found) {
        value = main_outputs_.find(binding.value.get());
        found = value != main_outputs_.end();
      }
      if (!found) {
        ctx_.report("train.binding.update-value", at,
                    "the binding's value " + quoted(binding.value.get()) +
                        " is an output neither of the algorithm nor of the main graph",
                    "list it among the algorithm's outputs");
      } else if (variable) {
        check_types(at, binding, *variable, value->second);
      }
    }
    bound_by_others.merge(seen);
  }

  void check_joined(const Names& main) const {
    if (!info_.algorithm) return;
    const Place at = place_.at("algorithm", -1, info_.algorithm->name.get());
    for_each_defined(*info_.algorithm, [&](std::string_view name) {
      if (!main.contains(name)) return;
      ctx_.report("train.step.combined-valid", at,
                  "the algorithm and the main graph both define " + quoted(name) +
                      "; joined for a training step, they would define it twice",
                  "rename it in the algorithm");
    });
  }

 private:
  static const ir::Graph* graph(const ir::Box<ir::Graph>& box) { return box ? &*box : nullptr; }

  const Declared* check_key(const Place& at, const ir::StringStringEntry& binding) const {
    if (const auto own = variables_.find(binding.key.get()); own != variables_.end()) return &own->second;
    if (const auto main = main_variables_.find(binding.key.get()); main != main_variables_.end()) return &main->second;
    ctx_.report("train.binding.key-is-initializer", at,
                "the binding's key " + quoted(binding.key.get()) +
                    " is an initializer neither of the main graph nor of this algorithm",
                "variables are initializers: add one with the value that training starts from");
    return nullptr;
  }

  void check_types(const Place& at, const ir::StringStringEntry& binding, const Declared& variable,
                   const Declared& value) const {
    if (may_agree(variable, value)) return;
    ctx_.report("train.binding.type-match", at,
                "the variable " + quoted(binding.key.get()) + " is " + variable.to_string() + ", but " +
                    quoted(binding.value.get()) + ", which is assigned to it, is " + value.to_string(),
                "an assignment keeps type and shape");
  }

  Context& ctx_;
  const Place& place_;
  const ir::TrainingInfo& info_;
  const Table& main_variables_;
  const Table& main_outputs_;
  const Table variables_;
};

}  // namespace

bool defined_by_algorithm(Context& ctx, std::string_view name) {
  const ir::Model* model = ctx.model();
  if (!model || model->training_info.empty() || ctx.function() || !ctx.binds("train.step.main-not-algo")) return false;
  const auto& graphs = ctx.graphs();
  for (const ir::TrainingInfo& info : model->training_info) {
    const auto walked = [&](const ir::Box<ir::Graph>& graph) {
      return graph && std::find(graphs.begin(), graphs.end(), &*graph) != graphs.end();
    };
    if (walked(info.initialization) || walked(info.algorithm)) return false;
  }
  auto& algorithms = ctx.state<AlgorithmState>();
  if (!std::exchange(algorithms.known, true)) {
    for (const ir::TrainingInfo& info : model->training_info) {
      if (info.algorithm) for_each_defined(*info.algorithm, [&](std::string_view n) { algorithms.defined.insert(n); });
    }
  }
  return algorithms.defined.contains(name);
}

void check_training(Context& ctx, const Place& place, const ir::Model& model) {
  if (model.training_info.empty()) return;
  const ir::Graph* main = model.graph ? &*model.graph : nullptr;
  const Table variables = initializers_of(main), outputs = outputs_of(main, variables);
  Names main_names, updated;
  if (main) for_each_defined(*main, [&](std::string_view n) { main_names.insert(n); });
  for (std::size_t i = 0; i < model.training_info.size(); ++i) {
    const ir::TrainingInfo& info = model.training_info[i];
    const Place at = place.at("training_info", static_cast<std::int64_t>(i));
    const Entry entry(ctx, at, info, variables, outputs);
    entry.check_initialization();
    entry.check_update(updated);
    entry.check_joined(main_names);
  }
}

}  // namespace norn::checks
