// Nodes and calls. What a node's graphs are inferred with is in document_graphs.cc.
#include "infer/document.h"

#include <algorithm>
#include <utility>

#include "base/memory.h"
#include "infer/document_walk.h"
#include "infer/fault_text.h"
#include "infer/function_body.h"
#include "infer/model_faults.h"
#include "infer/signature.h"
#include "ir/constants.h"
#include "ir/walk.h"
#include "opset/inference_faults.h"
#include "opset/registry.h"
#include "opset/type_check.h"

namespace norn::infer {

using opset::Fact;
using opset::InferContext;
using opset::ValueType;

const opset::Schema* schema_in(const opset::Operator& op, std::int64_t version) {
  return opset::schema_at(op, static_cast<int>(std::min<std::int64_t>(version, opset::kUnbounded)));
}

DocumentFacts::DocumentFacts() : symbols([this](PlaceId place) { return describe(place); }) {}

std::string DocumentFacts::describe(PlaceId id) const {
  if (id >= places_.size()) return {};
  const Place& place = places_[id];
  const std::string outer = place.outer == kNowhere ? std::string() : describe(place.outer) + " / ";
  const auto value = [&](const char* kind) {
    return outer + kind + " \"" + static_cast<const ir::ValueInfo*>(place.part)->name.get() + "\"";
  };
  switch (place.kind) {
    case Place::Kind::Graph: return outer + ir::describe_graph(*static_cast<const ir::Graph*>(place.part));
    case Place::Kind::Node: return outer + ir::describe_node(*static_cast<const ir::Node*>(place.part), place.index);
    case Place::Kind::Attribute:
      return outer + "attribute \"" + static_cast<const ir::Attribute*>(place.part)->name.get() + "\"";
    case Place::Kind::Function:
      return outer + "function \"" + static_cast<const ir::Function*>(place.part)->name.get() + "\"";
    case Place::Kind::Input: return value("input");
    default: return value("declared value");
  }
}

void infer_document(const ir::Model& model, const DocumentOptions& options, DocumentFacts& facts) {
  DocumentWalk(model.functions, model.ir_version.get(), options, facts).model(model);
}

std::vector<Fact> infer_function(const ir::Function& function, std::span<const Fact> inputs,
                                 const std::vector<ir::Attribute>& attributes, const DocumentOptions& options,
                                 std::int64_t ir_version, DocumentFacts& facts) {
  return DocumentWalk({}, ir_version, options, facts).function(function, inputs, attributes);
}

DocumentWalk::DocumentWalk(std::span<const ir::Function> functions, std::int64_t ir_version,
                           const DocumentOptions& options, DocumentFacts& out)
    : options_(options),
      out_(out),
      functions_(functions),
      ir_version_(ir_version),
      values_(out.values_),
      inferrer_(*this, out.symbols, options.evaluator, Mode::Check) {
  values_.emplace_back().unknown = unknown_because("nothing defines it", kNowhere);
}

void DocumentWalk::model(const ir::Model& model) {
  if (!model.graph) return;
  const Imports imports = imports_of(model.opset_import, ir_version_);
  Scope scope;
  main_imports_ = scope.imports = &imports;
  scope.recorded = true;
  out_.places_.reserve(1 + model.graph->input.size() + model.graph->node.size());
  base::prepare_to_fill(out_.places_.data(), out_.places_.capacity() * sizeof(DocumentFacts::Place));
  const PlaceId at = place(PlaceKind::Graph, kNowhere, &*model.graph);
  graph(*model.graph, scope, nullptr, at);
  // What was found later settles what was found before, in graphs within as well.
  if (!out_.symbols.empty()) {
    out_.symbols.compress();
    for (DocumentFacts::Graph& g : out_.graphs)
      for (ValueId id : g.values) settle(values_[id].type);
  }
  std::reverse(out_.graphs.begin(), out_.graphs.end());
  main_imports_ = nullptr;
}

InferContext::Input DocumentWalk::get(ValueId id) const {
  const Held& held = values_[id];
  return {&held.type, held.contents ? &*held.contents : nullptr};
}

void DocumentWalk::set(ValueId id, InferContext::Output&& found) {
  Held& held = values_[id];
  held.type = std::move(found.type);
  held.set(std::move(found.value));
}

Facts::Unknown DocumentWalk::unknown(ValueId id) const {
  const DocumentFacts::Unknown& unknown = out_.unknowns[values_[id].unknown];
  return {unknown.why, unknown.where};
}

PlaceId DocumentWalk::place(PlaceKind kind, PlaceId outer, const void* part, std::size_t index) {
  out_.places_.push_back({kind, outer, index, part});
  return static_cast<PlaceId>(out_.places_.size() - 1);
}

std::string DocumentWalk::given_by(PlaceId declared) const {
  constexpr std::size_t kMost = 100;  // messages that are worth looking for a node
  const DocumentFacts::Place& place = out_.places_[declared];
  const std::vector<ir::Node>* nodes = nullptr;
  if (place.kind == PlaceKind::Declared && place.outer != kNowhere && out_.problems.size() < kMost) {
    const DocumentFacts::Place& outer = out_.places_[place.outer];
    if (outer.kind == PlaceKind::Graph) nodes = &static_cast<const ir::Graph*>(outer.part)->node;
  }
  for (std::size_t i = 0; nodes && i < nodes->size(); ++i) {
    const ir::Node& node = (*nodes)[i];
    const std::string& name = static_cast<const ir::ValueInfo*>(place.part)->name.get();
    if (std::find(node.output.begin(), node.output.end(), name) != node.output.end())
      return ir::describe_node(node, i) + " gives ";
  }
  return "it is ";
}

std::uint32_t DocumentWalk::unknown_because(std::string why, PlaceId where) {
  out_.unknowns.push_back({std::move(why), where});
  return static_cast<std::uint32_t>(out_.unknowns.size() - 1);
}

void DocumentWalk::problem(Problem::Kind kind, Fault fault, const Error& error, PlaceId at) {
  std::string where = out_.describe(at);
  if (!error.where().empty()) where += " / " + error.where();
  out_.problems.push_back({kind, fault, std::move(where), error.message(), error.hint(), out_.places_[at].part});
}

ValueId DocumentWalk::add(std::string_view name, Scope& scope, Fact fact, std::uint32_t unknown) {
  const auto id = static_cast<ValueId>(values_.size());
  Held& held = values_.emplace_back(name);
  held.set(std::move(fact));
  held.unknown = unknown;
  scope.ids.set(name, id);
  if (scope.recorded) scope.defined.push_back(id);
  return id;
}

std::optional<ValueId> DocumentWalk::find(std::string_view name, const Scope& scope) const {
  for (const Scope* s = &scope; s; s = s->outer)
    if (const ValueId* id = s->ids.find(name)) return *id;
  return {};
}

ir::SmallVector<ValueId, 4> DocumentWalk::inputs_of(const ir::Node& node, const Scope& scope) const {
  ir::SmallVector<ValueId, 4> ids;
  for (const std::string& name : node.input) ids.push_back(name.empty() ? kNoValue : find(name, scope).value_or(0));
  return ids;
}

// Makes the names of a node that comes soon quick to look up.
void DocumentWalk::expect(const ir::Node& node, const Scope& scope) const {
  for (const std::string& name : node.input) scope.ids.expect(name);
  for (const std::string& name : node.output) scope.ids.expect(name);
}

void DocumentWalk::nodes(const std::vector<ir::Node>& nodes, Scope& scope, PlaceId outer) {
  constexpr std::size_t kAhead = 8;  // so many nodes take longer than memory does
  scope.nodes = &nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i + kAhead < nodes.size()) expect(nodes[i + kAhead], scope);
    scope.at = i;
    if (++nodes_ > options_.limits.max_expanded_nodes)
      throw as_error(ErrorCode::LimitExceeded, too_many_visits(options_.limits.max_expanded_nodes));
    const PlaceId at = place(PlaceKind::Node, outer, &nodes[i], i);
    try {
      node(nodes[i], scope, at);
    } catch (const NodeError& e) {
      const std::string* left_out = e.fault() == Fault::Signature ? left_out_by(nodes[i], scope) : nullptr;
      if (left_out) {
        problem(Problem::Kind::Node, Fault::LeftOut,
                as_error(e.code(), left_out_by_call(*left_out, e.message()), e.where()), at);
      } else {
        problem(Problem::Kind::Node, e.fault(), e, at);
      }
      outputs_unknown(nodes[i], scope, unknown_because("what is wrong with its node hides it", at));
    } catch (const Error& e) {
      if (e.code() != ErrorCode::InvalidGraph && e.code() != ErrorCode::NotImplemented) throw;
      const bool is_rule = dynamic_cast<const opset::RuleBroken*>(&e) != nullptr;
      problem(Problem::Kind::Node, is_rule ? Fault::Rule : Fault::Meaning, e, at);
      outputs_unknown(nodes[i], scope, unknown_because("what is wrong with its node hides it", at));
    }
    if (scope.declared.empty()) continue;
    for (const std::string& name : nodes[i].output) {
      if (name.empty()) continue;
      if (const auto id = find(name, scope)) merge_declared(*id, name, scope);
    }
  }
}

const std::string* DocumentWalk::left_out_by(const ir::Node& node, const Scope& scope) const {
  for (const std::string& name : node.input)
    if (!name.empty() && find(name, scope) == kNoValue) return &name;
  return nullptr;
}

void DocumentWalk::outputs_unknown(const ir::Node& node, Scope& scope, std::uint32_t unknown) {
  for (const std::string& name : node.output)
    if (!name.empty()) add(name, scope, {}, unknown);
}

const DocumentWalk::Bound* DocumentWalk::bound_before(const ir::Node& node, const Scope& scope) {
  const std::string& name = node.op_type.get();
  if (scope.imports != main_imports_ || !functions_.empty() || node.domain.has() || name.empty()) return nullptr;
  const auto letter = [&](std::size_t i) { return static_cast<unsigned char>(name[i]); };
  Bound& bound = bound_[(letter(0) + letter(name.size() - 1) * 5u + letter(name.size() / 2) * 3u) % bound_.size()];
  if (bound.op && bound.op_type == name) return &bound;
  const opset::Operator* op = opset::find_operator("", name);
  const auto import = scope.imports->find("");
  if (!op || import == scope.imports->end()) return nullptr;
  const opset::Schema* schema = schema_in(*op, import->second);
  if (!schema || schema->deprecated) return nullptr;
  bound = {name, op, schema};
  return &bound;
}

void DocumentWalk::node(const ir::Node& node, Scope& scope, PlaceId at) {
  if (const Bound* bound = bound_before(node, scope)) return infer(*bound->op, bound->schema, node, scope, at);
  const std::string_view domain = ir::canonical_domain(node.domain.get());
  if (const ir::Function* function = scope.standard ? nullptr : functions_.find(domain, node))
    return call(node, *function, scope, at);
  const opset::Operator* op = opset::find_operator(domain, node.op_type.get());
  if (op) return infer(*op, nullptr, node, scope, at);
  const auto import = scope.imports->find(domain);
  if (import != scope.imports->end() && !options_.operator_sets.empty()) {
    const ir::DeclaredOperator found =
        ir::find_declared(options_.operator_sets, domain, node.op_type.get(), node.overload.get(), import->second);
    if (found.body) return call(node, *found.body, scope, at);
  }
  outputs_unknown(
      node, scope,
      unknown_because("nothing defines what " + domain_name(domain) + "." + node.op_type.get() + " does", at));
}

void DocumentWalk::call(const ir::Node& node, const ir::Function& function, Scope& scope, PlaceId at) {
  std::vector<Held> found = infer_body(node, function, scope, at, false);
  for (std::size_t i = 0; i < node.output.size(); ++i)
    if (!node.output[i].empty()) {
      Held& held = values_[add(node.output[i], scope, {}, found[i].unknown)];
      held.type = std::move(found[i].type);
      held.contents = std::move(found[i].contents);
      held.unread = found[i].unread;
    }
}

std::vector<DocumentWalk::Held> DocumentWalk::infer_body(const ir::Node& node, const ir::Function& function,
                                                         Scope& scope, PlaceId at, bool standard) {
  Call call;
  std::vector<ir::Attribute> given;
  try {
    call = begin_call(function, node, scope.call);
    given = resolve_attributes(node, scope.call, ir_version_, options_.external);
  } catch (const Error& e) {
    throw NodeError(Fault::Signature, e.message(), e.hint());
  }
  for (const ir::Attribute& attr : given) call.attributes[attr.name] = &attr;
  const Imports own = imports_of(function.opset_import, ir_version_);
  Scope body;
  body.caller = &scope;
  body.called_by = &node;
  body.imports = function.opset_import.empty() ? scope.imports : &own;
  body.call = &call;
  body.standard = standard;
  // An omitted input is omitted where the body reads it, too.
  for (std::size_t i = 0; i < function.input.size(); ++i) {
    const bool here = i < node.input.size() && !node.input[i].empty();
    body.ids.set(function.input[i], here ? find(node.input[i], scope).value_or(0) : kNoValue);
  }
  body.outputs.assign(function.output.begin(), function.output.end());
  nodes(function.node, body, place(PlaceKind::Function, at, &function));
  std::vector<Held> found(node.output.size());
  for (std::size_t i = 0; i < node.output.size(); ++i) {
    if (node.output[i].empty()) continue;
    const auto id = find(function.output[i], body);
    if (id && *id != kNoValue)
      found[i] = values_[*id];
    else
      found[i].unknown = unknown_because("the function does not compute it", at);
  }
  return found;
}

void DocumentWalk::infer_through_body(const NodeView& view, const ir::Node& node, Scope& scope) {
  std::vector<const ValueType*> types;
  for (ValueId id : view.inputs) types.push_back(id == kNoValue ? nullptr : &values_[id].type);
  std::vector<bool> wanted;
  for (ValueId id : view.outputs) wanted.push_back(id != kNoValue);
  std::shared_ptr<const ir::Function> body;
  try {
    body = function_body(*view.op, view.attrs, types, wanted);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::NotImplemented) throw;  // it depends on a type that is not known
  }
  if (!body || body->opset_import.empty()) return;
  out_.bodies_.push_back(body);
  std::vector<Held> found = infer_body(node, *body, scope, view.place, true);
  for (std::size_t i = 0; i < view.outputs.size(); ++i) {
    if (view.outputs[i] == kNoValue || !found[i].type.known()) continue;
    Held& held = values_[view.outputs[i]];
    if (!opset::same_type(held.type, found[i].type)) continue;
    held.type = std::move(found[i].type);
    held.contents = std::move(found[i].contents);
    held.unread = found[i].unread;
  }
}

std::vector<Fact> DocumentWalk::function(const ir::Function& function, std::span<const Fact> inputs,
                                         const std::vector<ir::Attribute>& attributes) {
  const Imports imports = imports_of(function.opset_import, ir_version_);
  Scope outside;
  outside.imports = &imports;
  ir::Node node;
  node.op_type = function.name.get();
  node.attribute = attributes;
  // Names are views: all of them have to be there before the first is defined.
  for (std::size_t i = 0; i < inputs.size(); ++i) node.input.push_back("in" + std::to_string(i));
  for (std::size_t i = 0; i < inputs.size(); ++i) add(node.input[i], outside, Fact(inputs[i]));
  for (std::size_t i = 0; i < function.output.size(); ++i) node.output.push_back("out" + std::to_string(i));
  call(node, function, outside, place(PlaceKind::Node, kNowhere, &node));
  std::vector<Fact> found;
  for (const std::string& name : node.output) {
    found.push_back(values_[*find(name, outside)].fact());
    out_.symbols.resolve(found.back());
  }
  for (DocumentFacts::Place& p : out_.places_)
    if (p.part == &node) p = {PlaceKind::Function, kNowhere, 0, &function};
  return found;
}

}  // namespace norn::infer
