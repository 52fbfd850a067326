#include "program/binding.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "infer/function_body.h"
#include "ir/walk.h"
#include "ops/training/gradient/gradient.h"
#include "opset/reference.h"
#include "opset/registry.h"

namespace norn::program {

using infer::Imports;

namespace {

CannotRun cannot_run(Obstacle obstacle, ErrorCode code, infer::FaultText fault) {
  return {obstacle, Error(code, std::move(fault.message), {}, std::move(fault.hint))};
}

// The version of the operator that the imports put in force.
void bind_version(const opset::Operator& op, const Imports& imports, infer::Importer importer, Binding& binding) {
  const auto cannot = [&](Obstacle obstacle, infer::FaultText fault, ErrorCode code = ErrorCode::InvalidGraph) {
    binding.cannot = cannot_run(obstacle, code, std::move(fault));
  };
  const auto import = imports.find(op.domain);
  if (import == imports.end()) return cannot(Obstacle::NotImported, infer::not_imported(op.domain, importer));
  const std::int64_t version = import->second;
  const opset::Schema* schema =
      opset::schema_at(op, static_cast<int>(std::min<std::int64_t>(version, opset::kUnbounded)));
  if (!schema) return cannot(Obstacle::NotInVersion, infer::not_in_version(op, version, importer));
  if (schema->deprecated) return cannot(Obstacle::Deprecated, infer::deprecated(op, *schema, version, importer));
  if (!opset::is_runnable(op))
    return cannot(Obstacle::NoKernel,
                  {"this Norn knows " + opset::full_name(op) + " by its signature only and cannot run it yet" +
                       (&op == &ops::Gradient ? ": it does not differentiate graphs" : ""),
                   "a newer Norn may run it; or let the model bring a local function that computes it"},
                  ErrorCode::NotImplemented);
  binding.op = &op;
  binding.schema = schema;
}

// The body that a loaded operator set gives, or that a set of the domain has none; nothing if no set says anything.
void bind_in_sets(const ir::Node& node, std::string_view domain, const Imports& imports,
                  std::span<const ir::OperatorSet* const> sets, Binding& binding) {
  if (sets.empty()) return;
  const auto import = imports.find(domain);
  if (import == imports.end()) return;
  const auto cannot = [&](Obstacle obstacle, infer::FaultText fault) {
    binding.cannot = cannot_run(obstacle, ErrorCode::NotImplemented, std::move(fault));
  };
  const ir::DeclaredOperator found =
      ir::find_declared(sets, domain, node.op_type.get(), node.overload.get(), import->second);
  binding.function = found.body;
  if (found.body) return;
  if (found.declared_in)
    return cannot(Obstacle::NoKernel, {"the operator set " + infer::domain_name(domain) + " of version " +
                                           std::to_string(found.declared_in->opset_version.get()) + " declares \"" +
                                           node.op_type.get() + "\" without a body, so there is nothing to run",
                                       "a document can bring a body as a function, a model as a local function"});
  const bool has_set = std::any_of(sets.begin(), sets.end(), [&](const ir::OperatorSet* set) {
    return ir::canonical_domain(set->domain.get()) == domain;
  });
  if (!has_set || opset::is_complete(domain)) return;
  cannot(Obstacle::UnknownOperator, infer::undeclared_operator(domain, node, import->second, sets));
}

infer::FaultText fault_of_unknown(std::string_view domain, const ir::Node& node, const Imports& imports,
                                  std::string functions, infer::Importer importer) {
  if (functions.empty() && imports.find(domain) == imports.end()) return infer::not_imported(domain, node, importer);
  return infer::unknown_operator(domain, node, std::move(functions));
}

// A place, as text only where something is found.
struct NodePlace {
  const NodePlace* outer;
  const ir::Graph* graph = nullptr;
  const ir::Node* node = nullptr;
  std::size_t index = 0;
  const ir::Attribute* attribute = nullptr;

  std::string to_string() const {
    const std::string here = graph  ? ir::describe_graph(*graph)
                             : node ? ir::describe_node(*node, index)
                                    : "attribute \"" + attribute->name.get() + "\"";
    return outer ? outer->to_string() + " / " + here : here;
  }
};

class Survey {
 public:
  Survey(const ir::Model& model, std::span<const ir::OperatorSet* const> sets, const Limits& limits,
         const std::function<void(const Unrunnable&)>& f)
      : ir_version_(model.ir_version.get()),
        functions_(model.functions),
        sets_(sets),
        deepest_(infer::kMaxCallDepth + limits.max_depth),
        f_(f) {}

  void graph(const ir::Graph& graph, const NodePlace* outer, const Imports& imports) {
    const NodePlace here{.outer = outer, .graph = &graph};
    nodes(graph.node, &here, imports);
  }

 private:
  struct OneDeeper {
    int& depth;
    explicit OneDeeper(int& d) : depth(d) { ++depth; }
    ~OneDeeper() { --depth; }
  };

  void nodes(const std::vector<ir::Node>& nodes, const NodePlace* outer, const Imports& imports) {
    const OneDeeper deeper(depth_);
    if (depth_ > deepest_) return;  // refused for that when lowering comes there
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const ir::Node& node = nodes[i];
      const NodePlace here{.outer = outer, .node = &node, .index = i};
      Binding bound = bind_node(node, imports, functions_, sets_, false, importer_);
      if (bound.op) bound.cannot = in_body(*bound.op, *bound.schema, node, imports);
      if (bound.cannot) {
        const auto import = imports.find(ir::canonical_domain(node.domain.get()));
        f_({here.to_string(), node, import == imports.end() ? 0 : import->second, *bound.cannot});
      }
      for (const ir::Attribute& attr : node.attribute) attribute(attr, &here, imports);
      if (bound.function) function(*bound.function, &here, imports);
    }
  }

  void attribute(const ir::Attribute& attr, const NodePlace* outer, const Imports& imports) {
    if (!attr.g && attr.graphs.empty()) return;
    const NodePlace here{.outer = outer, .attribute = &attr};
    if (attr.g) graph(*attr.g, &here, imports);
    for (const ir::Graph& g : attr.graphs) graph(g, &here, imports);
  }

  void function(const ir::Function& called, const NodePlace* call, const Imports& callers) {
    if (depth_ >= deepest_ || !visited_.insert(&called).second) return;
    const bool imports_some = !called.opset_import.empty();
    const Imports own = imports_some ? infer::imports_of(called.opset_import, ir_version_) : Imports();
    const Imports& imports = imports_some ? own : callers;
    const infer::Importer callers_importer = importer_;
    if (imports_some) importer_ = infer::Importer::Function;
    nodes(called.node, call, imports);
    for (const ir::Attribute& attr : called.attribute_proto) attribute(attr, call, imports);
    importer_ = callers_importer;
  }

  // Why the function body of one of ONNX's operators cannot run, if the operator runs by one; looked up for the first
  // node of each version. Graphs that a node gives to the body are its attributes, which are looked into anyway.
  std::optional<CannotRun> in_body(const opset::Operator& op, const opset::Schema& schema, const ir::Node& node,
                                   const Imports& imports) {
    if (!runs_as_body(op, schema)) return {};
    const bool is_new = bodies_.try_emplace(&schema).second;
    if (is_new && depth_ < deepest_) {
      const OneDeeper deeper(depth_);
      bodies_[&schema] = first_in_body(op, schema, node, imports);
    }
    return bodies_[&schema];
  }

  std::optional<CannotRun> first_in_body(const opset::Operator& op, const opset::Schema& schema, const ir::Node& node,
                                         const Imports& callers) {
    std::shared_ptr<const ir::Function> body;
    const opset::ValueType unknown_type;
    std::vector<const opset::ValueType*> inputs;
    std::vector<bool> outputs;
    for (const std::string& name : node.input) inputs.push_back(name.empty() ? nullptr : &unknown_type);
    for (const std::string& name : node.output) outputs.push_back(!name.empty());
    try {
      body = infer::function_body(op, opset::Attrs(schema, node.attribute), inputs, outputs);
    } catch (const Error&) {
      return {};
    }
    const bool imports_some = !body->opset_import.empty();
    const Imports own = imports_some ? infer::imports_of(body->opset_import, ir_version_) : Imports();
    const Imports& imports = imports_some ? own : callers;
    for (const ir::Node& inner : body->node) {
      Binding bound = bind_node(inner, imports, functions_, sets_, imports_some);
      if (bound.op) bound.cannot = in_body(*bound.op, *bound.schema, inner, imports);
      if (!bound.cannot) continue;
      const Error& e = bound.cannot->error;
      return CannotRun{bound.cannot->obstacle,
                       Error(e.code(), "the function body of " + opset::full_name(op) + " cannot run: " + e.message(),
                             {}, e.hint())};
    }
    return {};
  }

  const std::int64_t ir_version_;
  const infer::FunctionTable functions_;
  const std::span<const ir::OperatorSet* const> sets_;
  const int deepest_;
  const std::function<void(const Unrunnable&)>& f_;
  int depth_ = 0;
  infer::Importer importer_ = infer::Importer::Model;
  std::unordered_set<const ir::Function*> visited_;
  std::unordered_map<const opset::Schema*, std::optional<CannotRun>> bodies_;
};

}  // namespace

Binding bind_node(const ir::Node& node, const Imports& imports, const infer::FunctionTable& functions,
                  std::span<const ir::OperatorSet* const> operator_sets, bool standard, infer::Importer importer) {
  const std::string_view domain = ir::canonical_domain(node.domain.get());
  Binding binding;
  if (!standard) binding.function = functions.find(domain, node);
  if (binding.function) return binding;
  const opset::Operator* op = opset::find_operator(domain, node.op_type.get());
  if (!op || !opset::is_runnable(*op)) bind_in_sets(node, domain, imports, operator_sets, binding);
  if (binding.function || binding.cannot) return binding;
  if (op)
    bind_version(*op, imports, importer, binding);
  else
    binding.cannot = cannot_run(Obstacle::UnknownOperator, ErrorCode::NotImplemented,
                                fault_of_unknown(domain, node, imports, functions.similar(domain, node), importer));
  return binding;
}

bool runs_as_body(const opset::Operator& op, const opset::Schema& schema) {
  return op.control_flow == opset::ControlFlow::None && !opset::find_reference(op, schema.since) &&
         opset::body_at(op, schema.since);
}

void for_each_unrunnable(const ir::Model& model, std::span<const ir::OperatorSet* const> operator_sets,
                         const Limits& limits, const std::function<void(const Unrunnable&)>& f) {
  if (!model.graph) return;
  Survey(model, operator_sets, limits, f)
      .graph(*model.graph, nullptr, infer::imports_of(model.opset_import, model.ir_version.get()));
}

}  // namespace norn::program
