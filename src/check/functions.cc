// Rules about functions of the model.
//
// A function is named by (domain, name), and since IR 10 by (domain, name, overload). What a chain of calls would
// become with every call replaced by its body is counted, not built: each function's size once, so a chain that doubles
// at each of thirty steps costs thirty additions. A call of a name that the standard declares is the standard's
// operator.
#include <algorithm>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/nearest.h"
#include "check/rule_checks.h"
#include "check/text.h"
#include "infer/model_faults.h"
#include "infer/name_faults.h"
#include "opset/registry.h"

namespace norn::checks {
namespace {

// "; did you mean "alpha"?", of the attributes that the function declares.
std::string did_you_mean(const ir::Function& f, const std::string& name) {
  base::Nearest nearest(name);
  for (const std::string& declared : f.attribute) nearest.offer(declared);
  for (const ir::Attribute& declared : f.attribute_proto) nearest.offer(declared.name.get());
  const std::string question = nearest.question();
  return question.empty() ? question : "; " + question;
}

std::string id_of(const ir::Function& f) { return "\"" + infer::function_name(f) + "\""; }

struct Calls {
  std::uint64_t nodes = 0;  // calls among them, so that calls of empty bodies count
  std::vector<std::pair<const ir::Function*, std::uint64_t>> callees;
};

void count_graphs(Context& ctx, const Place& place, const ir::Attribute& attribute, Calls& calls,
                  std::unordered_map<const ir::Function*, std::uint64_t>& times);

void count_nodes(Context& ctx, const Place& place, const std::vector<ir::Node>& nodes, Calls& calls,
                 std::unordered_map<const ir::Function*, std::uint64_t>& times) {
  const Deeper deeper(ctx, place);
  for (const ir::Node& node : nodes) {
    const ir::Function* callee =
        ctx.operators().find_function(node.domain.get(), node.op_type.get(), node.overload.get());
    if (callee && node.overload.get().empty() && opset::find_operator(node.domain.get(), node.op_type.get())) {
      callee = nullptr;
    }
    if (callee) ++times[callee];
    ++calls.nodes;
    for (const ir::Attribute& attribute : node.attribute) count_graphs(ctx, place, attribute, calls, times);
  }
}

void count_graphs(Context& ctx, const Place& place, const ir::Attribute& attribute, Calls& calls,
                  std::unordered_map<const ir::Function*, std::uint64_t>& times) {
  if (attribute.g) count_nodes(ctx, place, attribute.g->node, calls, times);
  for (const ir::Graph& graph : attribute.graphs) count_nodes(ctx, place, graph.node, calls, times);
}

// `defaults` are those of the function whose body the nodes are.
Calls calls_of(Context& ctx, const Place& place, const std::vector<ir::Node>& nodes,
               std::span<const ir::Attribute> defaults = {}) {
  Calls calls;
  std::unordered_map<const ir::Function*, std::uint64_t> times;
  count_nodes(ctx, place, nodes, calls, times);
  for (const ir::Attribute& attribute : defaults) count_graphs(ctx, place, attribute, calls, times);
  calls.callees.assign(times.begin(), times.end());
  return calls;
}

// Sizes after expansion, saturating; functions in a cycle count as nothing further.
class Expansion {
 public:
  // All that may be called are among `functions`.
  Expansion(Context& ctx, const Place& place, std::span<const ir::Function> functions)
      : ctx_(ctx), place_(place), functions_(functions) {}

  std::uint64_t of(const std::vector<ir::Node>& nodes) {
    const Calls calls = calls_of(ctx_, place_, nodes);
    for (const auto& [callee, times] : calls.callees) visit(callee);
    return total(calls);
  }

 private:
  struct Entry {
    Calls calls;
    std::uint64_t size = 0;
    bool open = true;
  };

  std::uint64_t total(const Calls& calls) const {
    std::uint64_t sum = calls.nodes;
    for (const auto& [callee, times] : calls.callees) {
      std::uint64_t product = 0;
      const auto at = entries_.find(callee);
      const std::uint64_t size = at == entries_.end() || at->second.open ? 0 : at->second.size;
      if (__builtin_mul_overflow(size, times, &product) || __builtin_add_overflow(sum, product, &sum)) {
        return ~std::uint64_t{0};
      }
    }
    return sum;
  }

  Entry& open(const ir::Function* f) {
    Entry& entry = entries_[f];
    entry.calls = calls_of(ctx_, place_, f->node, f->attribute_proto);
    return entry;
  }

  void visit(const ir::Function* root) {
    if (entries_.contains(root)) return;
    open(root);
    std::vector<std::pair<const ir::Function*, std::size_t>> stack = {{root, 0}};
    while (!stack.empty()) {
      auto& [f, next] = stack.back();
      Entry& entry = entries_.at(f);
      if (next == entry.calls.callees.size()) {
        entry.open = false;
        entry.size = total(entry.calls);
        stack.pop_back();
        continue;
      }
      const ir::Function* callee = entry.calls.callees[next++].first;
      const auto known = entries_.find(callee);
      if (known == entries_.end()) {
        open(callee);
        stack.push_back({callee, 0});
      } else if (known->second.open) {
        report_cycle(stack, callee);
      }
    }
  }

  void report_cycle(const std::vector<std::pair<const ir::Function*, std::size_t>>& stack, const ir::Function* callee) {
    std::vector<const ir::Function*> way;
    for (auto it = stack.rbegin(); it != stack.rend() && it->first != callee; ++it) way.push_back(it->first);
    way.push_back(callee);
    std::reverse(way.begin(), way.end());
    ctx_.report("function.no-recursion", place_.at("function", callee - functions_.data(), callee->name.get()),
                infer::recursive_functions(way));
  }

  Context& ctx_;
  const Place& place_;
  std::span<const ir::Function> functions_;
  std::unordered_map<const ir::Function*, Entry> entries_;
};

void check_ids(Context& ctx, const Place& place, const ir::Model& model) {
  const bool overloads = ctx.ir_version() >= 10;
  std::unordered_set<std::string, SeededHash> ids;
  for (std::size_t i = 0; i < model.functions.size(); ++i) {
    const ir::Function& f = model.functions[i];
    std::string id(ir::canonical_domain(f.domain.get()));
    (id += '\0') += f.name.get();
    if (overloads) (id += '\0') += f.overload.get();
    if (ids.insert(std::move(id)).second) continue;
    const Place at = place.at("function", static_cast<std::int64_t>(i), f.name.get());
    if (overloads) {
      ctx.report("function.id.unique-overload", at, "the model has two functions " + id_of(f),
                 "functions of one name need different overloads");
    } else {
      ctx.report("function.id.unique", at, "the model has two functions of this domain and name",
                 "rename one; overloads came with IR 10");
    }
  }
}

void check_unique(Context& ctx, const Place& place, Rule rule, const char* what,
                  const std::vector<std::string>& names) {
  NameSet seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty() || seen.insert(names[i])) continue;
    ctx.report(rule, place.at(what, static_cast<std::int64_t>(i), names[i]),
               std::string("the function has two ") + what + "s of this name");
  }
}

void check_signature_names(Context& ctx, const Place& place, const ir::Function& function) {
  check_unique(ctx, place, "function.params.input-unique", "input", function.input);
  check_unique(ctx, place, "function.params.output-unique", "output", function.output);
  check_unique(ctx, place, "function.params.attr-unique", "attribute", function.attribute);
  NameSet attributes, defaults, values;
  for (const auto& name : function.input) values.insert(name);
  for (const auto& name : function.output) values.insert(name);
  const auto not_a_value = [&](const std::string& name) {
    if (name.empty() || values.insert(name)) return;
    ctx.report("name.ns.attribute-vs-io", place.at("attribute", -1, name),
               "the function has an input or output of this name too");
  };
  for (const auto& name : function.attribute) {
    if (attributes.insert(name)) not_a_value(name);
  }
  for (const auto& attribute : function.attribute_proto) {
    const std::string& name = attribute.name.get();
    if (!defaults.insert(name)) {
      ctx.report("function.params.attr-proto-unique", place.attribute(attribute),
                 "the function gives two defaults for this attribute");
    } else if (!attributes.insert(name)) {
      ctx.report("function.params.attr-distinct", place.attribute(attribute),
                 "the attribute is listed among those without a default too", "list it once");
    } else {
      not_a_value(name);
    }
  }
}

struct FormalAttributes {
  std::unordered_map<const ir::Function*, TextMap<const ir::Attribute*>> of;
};

// The same operator has to mean the same in the function and in the model.
class Compatibility {
 public:
  Compatibility(Context& ctx, const Imports& model) : ctx_(ctx), own_(ctx.operators().imports()), model_(model) {}

  bool asked() const {
    return std::any_of(own_.list().begin(), own_.list().end(), [&](const auto& entry) {
      const std::int64_t version = model_.version(entry.first);
      return version >= 0 && version != entry.second;
    });
  }

  // Called for what the walk has seen, which has found it no deeper than the limit.
  void nodes(const Place& place, const std::vector<ir::Node>& all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Place at = place.node(all[i], i);
      node(at, all[i]);
      for (const ir::Attribute& attribute : all[i].attribute) graphs(at.attribute(attribute), attribute);
    }
  }
  void graphs(const Place& place, const ir::Attribute& attribute) {
    if (attribute.g) nodes(place.graph(*attribute.g), attribute.g->node);
    for (std::size_t i = 0; i < attribute.graphs.size(); ++i) {
      nodes(place.graph(attribute.graphs[i], static_cast<std::int64_t>(i)), attribute.graphs[i].node);
    }
  }

 private:
  void node(const Place& place, const ir::Node& node) {
    const std::int64_t here = own_.version(node.domain.get()), there = model_.version(node.domain.get());
    if (here < 0 || there < 0 || here == there) return;
    const opset::Operator* op = opset::find_operator(node.domain.get(), node.op_type.get());
    if (!op || ctx_.operators().bind(node).binding == Binding::Function) return;
    const auto at = [&](std::int64_t version) {
      return opset::schema_at(*op, static_cast<int>(std::min<std::int64_t>(version, 1 << 30)));
    };
    if (at(here) == at(there)) return;
    ctx_.report("function.opset.compatible", place,
                "the function imports version " + std::to_string(here) + " and the model " + std::to_string(there) +
                    ", between which " + node.op_type.get() + " changed",
                "convert the one to the other's opset");
  }

  Context& ctx_;
  const Imports& own_;
  const Imports& model_;
};

}  // namespace

void check_function_table(Context& ctx, const Place& place, const ir::Model& model) {
  if (model.functions.empty()) return;
  check_ids(ctx, place, model);
  Expansion expansion(ctx, place, model.functions);
  std::uint64_t size = model.graph ? expansion.of(model.graph->node) : 0;
  for (const ir::Function& f : model.functions) expansion.of(f.node);
  if (size > ctx.options().limits.max_expanded_nodes) {
    throw infer::as_error(ErrorCode::LimitExceeded, infer::too_many_nodes(ctx.options().limits.max_expanded_nodes),
                          place.to_string());
  }
}

void check_function_cycles(Context& ctx, const Place& place, std::span<const ir::Function> functions) {
  Expansion expansion(ctx, place, functions);
  for (const ir::Function& f : functions) expansion.of(f.node);
}

FormalAttribute formal_attribute(Context& ctx, const ir::Function& function, std::string_view name) {
  auto [at, is_new] = ctx.state<FormalAttributes>().of.try_emplace(&function);
  if (is_new) {
    for (const ir::Attribute& attribute : function.attribute_proto) {
      at->second.try_emplace(attribute.name.get(), &attribute);
    }
    for (const std::string& declared : function.attribute) at->second.try_emplace(declared, nullptr);
  }
  const auto found = at->second.find(name);
  return found == at->second.end() ? FormalAttribute{} : FormalAttribute{true, found->second};
}

void check_function_fields(Context& ctx, const Place& place, const ir::Function& function) {
  if (function.name.get().empty()) ctx.report("function.name.present", place, "the function has no name", "set name");
  if (!function.domain.has()) {
    ctx.report("function.domain.present", place, "the function states no domain", "set domain");
  }
  if (!function.unknown.empty() && has_field(function.unknown, 2, 3)) {
    ctx.report("function.status-reserved", place,
               "the function uses the fields since_version or status, which are withdrawn");
  }
  check_doc_string(ctx, place, function.doc_string.get());
  check_signature_names(ctx, place, function);
  for (std::size_t i = 0; i < function.output.size(); ++i) {
    if (ctx.scopes().defined_here(function.output[i])) continue;
    ctx.report("function.output.defined", place.at("output", static_cast<std::int64_t>(i), function.output[i]),
               infer::undefined_output(function.output[i], true, did_you_mean(ctx, function.output[i])));
  }
  NameSet infos;
  for (std::size_t i = 0; i < function.value_info.size(); ++i) {
    const std::string& name = function.value_info[i].name.get();
    if (name.empty()) continue;
    const Place at = place.value("value_info", i, function.value_info[i]);
    if (!infos.insert(name)) {
      ctx.report("function.value-info.names", at, "value_info lists this name twice");
    } else if (!ctx.scopes().defined_here(name)) {
      ctx.report("function.value-info.names", at, "the function has no value of this name");
    }
  }
  NameSet domains;
  for (std::size_t i = 0; i < function.opset_import.size(); ++i) {
    const auto& id = function.opset_import[i];
    const std::string_view domain = ir::canonical_domain(id.domain.get());
    const Place at = place.at("opset_import", static_cast<std::int64_t>(i), id.domain.get());
    check_opset_version(ctx, at, id);
    if (!domains.insert(domain)) {
      ctx.report("opset.import.one-version-per-domain", at, "the function imports " + domain_text(domain) + " twice");
    }
  }
  if (ctx.model() && !ctx.options().skip_opset_compatibility_check) {
    if (Compatibility compatibility(ctx, ctx.model_imports()); compatibility.asked()) {
      compatibility.nodes(place, function.node);
      for (const ir::Attribute& attribute : function.attribute_proto) {
        compatibility.graphs(place.attribute(attribute), attribute);
      }
    }
  }
}

void check_call(Context& ctx, const Place& place, const ir::Node& node, const ir::Function& callee) {
  const auto arity = [&](bool inputs, std::size_t given, std::size_t formal) {
    if (given > formal) ctx.report("function.call.arity", place, infer::too_many_arguments(inputs, given, callee));
  };
  arity(true, node.input.size(), callee.input.size());
  arity(false, node.output.size(), callee.output.size());
  for (const ir::Attribute& attribute : node.attribute) {
    const std::string& name = attribute.name.get();
    if (name.starts_with("__") || formal_attribute(ctx, callee, name).declared) continue;
    ctx.report("function.call.unknown-attr", place.attribute(attribute),
               "the function " + id_of(callee) + " declares no such attribute",
               "it has no effect there" + did_you_mean(callee, name));
  }
}

}  // namespace norn::checks
