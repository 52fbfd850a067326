// Graphs: their inputs, initializers and outputs, what the document declares of values, and the graphs of nodes.
//
// Branches: what one branch says of sizes holds in it, what all of them say holds around them. A body of Loop or Scan
// need not run at all, so nothing that it says holds outside.
#include <algorithm>
#include <utility>

#include "infer/document_walk.h"
#include "infer/model_faults.h"
#include "infer/signature.h"
#include "ir/constants.h"
#include "ir/tensor_data.h"
#include "opset/attrs.h"
#include "opset/registry.h"
#include "opset/type_check.h"

namespace norn::infer {

using opset::DimExpr;
using opset::Dims;
using opset::Fact;
using opset::ValueType;

// What one node asks for while it is inferred.
class NodeSurroundings final : public Surroundings {
 public:
  NodeSurroundings(DocumentWalk& walk, const ir::Node& node, std::span<const ir::Attribute> attrs,
                   DocumentWalk::Scope& scope, PlaceId place, const opset::Operator& op, bool one_runs, bool known)
      : walk_(walk),
        node_(node),
        attrs_(attrs),
        scope_(scope),
        place_(place),
        branches_(walk.out_.symbols),
        op_(op),
        one_runs_(one_runs),
        known_(known) {
    if (walk_.depth_ == 0) walk_.loops_.clear();
    if (walk_.depth_ > 0 && LoopMemory::serves(op)) memory_ = &walk_.loops_[walk_.path_of(place)];
    if (memory_) memory_->begin();
  }

  std::vector<Fact> infer_subgraph(std::string_view attribute, std::span<const Fact> formals) override {
    if (memory_)
      if (auto answer = memory_->answer(op_, formals)) return *std::move(answer);
    // The document's own graph rather than a copy, since findings refer to the document.
    for (const std::span<const ir::Attribute> attrs : {std::span<const ir::Attribute>(node_.attribute), attrs_}) {
      for (const ir::Attribute& attr : attrs) {
        if (attr.name.get() != attribute || !attr.g) continue;
        forget(attribute);
        return infer(attr, formals);
      }
    }
    throw as_error(ErrorCode::InvalidGraph, attribute_without_graph(attribute));
  }
  bool take_equality(const DimExpr& a, const DimExpr& b, std::string_view what) override {
    walk_.equality(a, b, what, place_, scope_);
    return true;
  }
  // After the node: what its branches have in common holds around it.
  void join() {
    if (one_runs_ && !known_) branches_.join(place_);
  }
  // Why the rank or type of an output is not known, if one of the branches leaves it open, else 0.
  std::uint32_t unknown(std::size_t output) const { return output < unknown_.size() ? unknown_[output] : 0; }

 private:
  struct Visit {
    std::string_view attribute;
    std::size_t graphs, problems;
  };
  // A graph is inferred anew with wider formals: what an earlier visit found does not count, save that what the first
  // iteration is fed does not fit.
  void forget(std::string_view attribute) {
    for (const Visit& visit : visits_) {
      if (visit.attribute != attribute) continue;
      walk_.out_.graphs.resize(visit.graphs);
      auto& problems = walk_.out_.problems;
      const auto gone = std::stable_partition(problems.begin() + static_cast<std::ptrdiff_t>(visit.problems),
                                              problems.end(), [](const Problem& p) { return p.of_formal; });
      problems.erase(gone, problems.end());
      return;
    }
    visits_.push_back({attribute, walk_.out_.graphs.size(), walk_.out_.problems.size()});
  }
  std::vector<Fact> infer(const ir::Attribute& attr, std::span<const Fact> formals) {
    if (++walk_.depth_ > walk_.options_.limits.max_depth)
      throw as_error(ErrorCode::LimitExceeded, nested_too_deeply(walk_.options_.limits.max_depth),
                     walk_.out_.describe(place_));
    DocumentWalk::Scope inner;
    inner.outer = &scope_;
    inner.imports = scope_.imports;
    inner.call = scope_.call;
    inner.recorded = scope_.recorded;
    inner.standard = scope_.standard;
    const PlaceId at = walk_.place(DocumentWalk::PlaceKind::Graph,
                                   walk_.place(DocumentWalk::PlaceKind::Attribute, place_, &attr), &*attr.g);
    // Also where an error ends the graph: what it said so far holds in it only.
    const struct Inside {
      NodeSurroundings& node;
      explicit Inside(NodeSurroundings& n) : node(n) {
        if (!node.known_) node.branches_.enter();
      }
      ~Inside() {
        if (!node.known_) node.branches_.leave();
        --node.walk_.depth_;
      }
    } inside(*this);
    std::vector<Fact> found = walk_.graph(*attr.g, inner, &formals, at);
    for (std::size_t i = 0; one_runs_ && i < found.size(); ++i) {
      if (!is_open(found[i].type)) continue;
      const auto id = walk_.find(attr.g->output[i].name.get(), inner);
      unknown_.resize(found.size());
      if (id && *id != kNoValue) unknown_[i] = walk_.values_[*id].unknown;
    }
    return found;
  }

  DocumentWalk& walk_;
  const ir::Node& node_;
  std::span<const ir::Attribute> attrs_;  // of the node, resolved
  DocumentWalk::Scope& scope_;
  PlaceId place_;
  Branches branches_;
  const opset::Operator& op_;
  LoopMemory* memory_ = nullptr;  // of a loop that may be inferred again
  bool one_runs_, known_;         // exactly one of the graphs runs; it is known which
  std::vector<Visit> visits_;
  std::vector<std::uint32_t> unknown_;  // by output, as Value::unknown
};

namespace {

bool is_small(const Dims& dims) {
  std::int64_t count = 1;
  for (const DimExpr& d : dims) {
    if (!d.is_constant() || d.constant() < 0 || d.constant() > kSmall) return false;
    count *= d.constant();
    if (count > kSmall) return false;
  }
  return true;
}

DataType elem_of(const ir::Tensor& tensor) {
  const std::int32_t number = tensor.data_type.get();
  return number > 0 && number < kDataTypeCount ? static_cast<DataType>(number) : DataType::Undefined;
}

// A variable that was found to be 0; "" if there is none.
std::string emptied(const std::vector<Symbols::Equation>& said) {
  for (const Symbols::Equation& e : said)
    if (e.right == DimExpr(0)) return std::string(e.left.variable_name());
  return {};
}

bool is_weight(const ValueType& type) {
  const bool floating = type.elem == DataType::Float || type.elem == DataType::Double ||
                        type.elem == DataType::Float16 || type.elem == DataType::BFloat16;
  return floating && type.shape->size() > 1;
}

}  // namespace

std::vector<const void*> DocumentWalk::path_of(PlaceId at) const {
  std::vector<const void*> path;
  for (; at != kNowhere; at = out_.places_[at].outer) path.push_back(out_.places_[at].part);
  return path;
}

const Needs& DocumentWalk::needs_of(Scope& scope) {
  if (scope.needs) return *scope.needs;
  std::vector<std::string_view> outputs;
  for (std::size_t i = 0; i < scope.outputs.size(); ++i) {
    // Of a function, what its caller reads.
    const auto* taken = scope.called_by ? &scope.called_by->output : nullptr;
    if (taken && (i >= taken->size() || (*taken)[i].empty())) continue;
    if (taken && scope.caller->nodes && !needs_of(*scope.caller).value((*taken)[i])) continue;
    outputs.push_back(scope.outputs[i]);
  }
  return scope.needs.emplace(find_needs(*scope.nodes, outputs));
}

bool DocumentWalk::runs(Scope& scope) {
  for (Scope* s = &scope; s; s = s->outer ? s->outer : s->caller)
    if (s->nodes && !needs_of(*s).nodes[s->at]) return false;
  return true;
}

void DocumentWalk::equality(const DimExpr& a, const DimExpr& b, std::string_view what, PlaceId at, Scope& scope) {
  const Symbols::Mark before = out_.symbols.mark();
  try {
    out_.symbols.equal(a, b, at);
    if (out_.symbols.mark() != before && !runs(scope)) out_.symbols.take_back(before);
  } catch (const Error& e) {
    problem(Problem::Kind::Variables, Fault::Meaning,
            Error(e.code(), std::string(what) + " must be equal: " + e.message(), e.where(),
                  "let these sizes be equal, or give sizes names of their own that were only equal in an example"),
            at);
  }
}

void DocumentWalk::infer(const opset::Operator& op, const opset::Schema* schema, const ir::Node& node, Scope& scope,
                         PlaceId at) {
  if (!schema) {
    const auto import = scope.imports->find(op.domain);
    if (import == scope.imports->end())
      return outputs_unknown(node, scope,
                             unknown_because("the operator set of " + opset::full_name(op) + " is not imported", at));
    schema = schema_in(op, import->second);
    if (!schema || schema->deprecated)
      return outputs_unknown(
          node, scope,
          unknown_because(opset::full_name(op) + " is not in version " + std::to_string(import->second), at));
  }

  std::vector<ir::Attribute> resolved;
  std::span<const ir::Attribute> attrs = node.attribute;
  try {
    if (needs_resolving(node)) {
      resolved = resolve_attributes(node, scope.call, ir_version_, options_.external);
      complete_untyped(resolved, *schema);
      attrs = has_graph(resolved) ? out_.attributes_.emplace_back(std::move(resolved)) : resolved;
    }
    check_attributes(attrs, op, *schema);
  } catch (const Error& e) {
    throw NodeError(Fault::Signature, e.message(), e.hint());
  }

  const ir::SmallVector<ValueId, 4> ids = inputs_of(node, scope);
  read_contents(ids);
  ir::SmallVector<ValueId, 2> outputs;
  for (const std::string& name : node.output) {
    outputs.push_back(name.empty() ? kNoValue : static_cast<ValueId>(values_.size()));
    if (!name.empty()) values_.emplace_back(name);
  }
  const NodeView view{&op, opset::Attrs(*schema, attrs), ids, outputs, at};
  const opset::KnownValue* first = !ids.empty() && ids[0] != kNoValue ? get(ids[0]).value : nullptr;
  const norn::Tensor* condition = first ? &first->constant : nullptr;
  const bool one_runs = has_graph(attrs) && op.control_flow == opset::ControlFlow::If;
  const bool known =
      one_runs && condition && condition->defined() && condition->dtype() == DataType::Bool && condition->size() == 1;
  NodeSurroundings around(*this, node, attrs, scope, at, op, one_runs, known);
  bool typed = true;
  try {
    inferrer_.node(view, &around);
  } catch (const NodeError& e) {
    if (!options_.past_wrong_types || e.fault() == Fault::Signature) throw;
    problem(Problem::Kind::Node, e.fault(), e, at);
    Inferrer(*this, out_.symbols, nullptr, Mode::Static).node(view, &around);  // no kernel may meet such types
    typed = false;
  }
  around.join();
  if (!op.infer) {
    if (typed) infer_through_body(view, node, scope);
    const bool known = std::none_of(outputs.begin(), outputs.end(),
                                    [&](ValueId id) { return id != kNoValue && is_open(values_[id].type); });
    if (!known) ++out_.without_inference[opset::full_name(op)];
  }
  std::uint32_t unknown = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] == kNoValue) continue;
    scope.ids.set(node.output[i], outputs[i]);
    if (scope.recorded) scope.defined.push_back(outputs[i]);
    Held& held = values_[outputs[i]];
    if (!is_open(held.type)) continue;
    if (const std::uint32_t inner = around.unknown(i)) {
      held.unknown = inner;
      continue;
    }
    if (!unknown) {
      for (ValueId id : ids)
        if (!unknown && id != kNoValue && is_open(values_[id].type)) unknown = values_[id].unknown;
      if (!inferrer_.why().empty()) unknown = unknown_because(inferrer_.why(), at);
      if (!unknown)
        unknown = unknown_because(op.infer ? opset::full_name(op) + " determines the shape only when it runs"
                                           : "shapes of " + opset::full_name(op) + " are not inferred yet",
                                  at);
    }
    held.unknown = unknown;
  }
}

std::vector<Fact> DocumentWalk::graph(const ir::Graph& graph, Scope& scope, const std::span<const Fact>* formals,
                                      PlaceId at) {
  scope.place = at;
  const std::size_t names = graph.node.size() + graph.initializer.size() + graph.input.size();
  values_.reserve(values_.size() + names);
  scope.ids.reserve(names);
  if (scope.recorded) scope.defined.reserve(names);
  scope.infos = graph.value_info;
  for (std::size_t i = 0; i < scope.infos.size(); ++i)
    if (const std::string& name = scope.infos[i].name.get(); scope.infos[i].type && !scope.declared.contains(name))
      scope.declared.set(name, static_cast<std::uint32_t>(i));
  inputs(graph, scope, formals, at);
  initializers(graph, scope);
  scope.first_made = scope.defined.size();
  for (const ir::ValueInfo& info : graph.output) scope.outputs.push_back(info.name.get());
  nodes(graph.node, scope, at);
  std::vector<Fact> found;
  for (const ir::ValueInfo& info : graph.output) {
    const auto id = find(info.name.get(), scope);
    if (!id || *id == kNoValue || *id == 0) {
      Fact fact;
      if (info.type) fact.type = declared_type(*info.type, "the graph output declares no size here", at);
      found.push_back(std::move(fact));
      continue;
    }
    // What a branch declares of a value from around it holds in the branch.
    Held held = values_[*id];
    const bool agrees =
        !info.type || merge(held, *info.type, place(PlaceKind::Declared, at, &info), "the graph output");
    found.push_back(held.fact());
    if (!agrees && formals) found.back().type = behind_misfit(held.type);
    if (scope.ids.contains(info.name.get())) values_[*id] = std::move(held);
  }
  if (scope.misfed) std::ranges::fill(found, Fact{});
  for (Fact& fact : found) out_.symbols.resolve(fact);
  if (scope.recorded) record(graph, scope, at);
  return found;
}

void DocumentWalk::record(const ir::Graph& graph, Scope& scope, PlaceId at) {
  if (scope.outer)  // what the branch says is taken back behind it
    for (ValueId id : scope.defined) settle(values_[id].type);
  out_.graphs.push_back({&graph, at, std::move(scope.defined), scope.first_made});
}

namespace {

void settle(const Symbols& symbols, DimExpr& d) {
  if (d.is_constant()) return;
  DimExpr found;
  try {
    found = symbols.resolve(d);
  } catch (const Error&) {  // what it would be cannot be written
    return;
  }
  if (found.is_constant() || d.variable_name().empty() || opset::has_fresh(d)) d = std::move(found);
}

void settle(const Symbols& symbols, ValueType& type) {
  if (type.shape)
    for (DimExpr& d : *type.shape) settle(symbols, d);
  if (!type.element) return;
  ValueType element = *type.element;
  settle(symbols, element);
  type.element = std::make_shared<const ValueType>(std::move(element));
}

}  // namespace

// A size keeps the name that the document gives it unless it is a number.
void DocumentWalk::settle(ValueType& type) const {
  if (!out_.symbols.empty()) infer::settle(out_.symbols, type);
}

ValueType DocumentWalk::declared_type(const ir::Type& type, std::string_view what, PlaceId at) {
  return opset::from_ir(type, [&] { return out_.symbols.fresh(what, at); });
}

void DocumentWalk::inputs(const ir::Graph& graph, Scope& scope, const std::span<const Fact>* formals, PlaceId outer) {
  for (std::size_t i = 0; i < graph.input.size(); ++i) {
    const ir::ValueInfo& info = graph.input[i];
    const PlaceId at = place(PlaceKind::Input, outer, &info);
    const bool given = formals && i < formals->size();
    const ValueId id = add(info.name.get(), scope, given ? Fact((*formals)[i]) : Fact{});
    Held& held = values_[id];
    if (info.type && !given)
      held.type = declared_type(*info.type, "the graph input declares no size here", at);
    else if (info.type && !merge(held, *info.type, at, "the graph input"))
      misfed(held, scope, at);
    if (is_open(held.type) && !held.unknown)
      held.unknown =
          unknown_because(info.type ? "the graph input declares no shape" : "the graph input has no type", at);
  }
}

opset::ValueType DocumentWalk::behind_misfit(const ValueType& type) const {
  if (options_.past_wrong_types) return type;
  return out_.problems.back().kind == Problem::Kind::DeclaredType ? ValueType{} : opset::without_shape(type);
}

void DocumentWalk::misfed(Held& held, Scope& scope, PlaceId at) {
  std::vector<Problem>& problems = out_.problems;
  held.type = behind_misfit(held.type);
  if (!held.type.known()) scope.misfed = true;
  if (is_open(held.type)) {
    held.contents.clear();
    held.unknown = unknown_because("it is fed another type than it declares", at);
  }
  Problem& found = problems.back();
  found.of_formal = true;
  const bool twice = std::any_of(problems.begin(), problems.end() - 1, [&](const Problem& p) {
    return p.of_formal && p.part == found.part && p.where == found.where;
  });
  if (twice) problems.pop_back();
}

void DocumentWalk::initializers(const ir::Graph& graph, Scope& scope) {
  for (const ir::Tensor& t : graph.initializer) {
    ValueType type = ValueType::tensor(elem_of(t));
    type.shape.emplace(t.dims.begin(), t.dims.end());
    const bool readable = is_small(*type.shape) && (options_.external || !ir::is_external(t, ir_version_));
    initializer(t.name.get(), std::move(type), readable ? &t : nullptr, scope);
  }
  for (const ir::SparseTensor& s : graph.sparse_initializer) {
    if (!s.values) continue;
    ValueType type = ValueType::tensor(elem_of(*s.values));
    type.shape.emplace(s.dims.begin(), s.dims.end());
    initializer(s.values->name.get(), std::move(type), nullptr, scope);
  }
}

// Weights are most of a document's initializers, and their contents say nothing of shapes: those are vectors, integers
// and truth values, or everything that a node reads is known.
void DocumentWalk::read_contents(std::span<const ValueId> inputs) {
  const auto any = [&](auto&& is) {
    return std::any_of(inputs.begin(), inputs.end(), [&](ValueId id) { return id != kNoValue && is(values_[id]); });
  };
  if (!any([](const Held& held) { return held.unread != nullptr; })) return;
  const bool all =
      !any([](const Held& held) { return !held.unread && !(held.contents && held.contents->constant.defined()); });
  for (ValueId id : inputs) {
    if (id == kNoValue || !values_[id].unread) continue;
    Held& held = values_[id];
    if (!all && is_weight(held.type)) continue;
    const ir::Tensor& t = *std::exchange(held.unread, nullptr);
    opset::KnownValue known;
    try {
      known.constant = contents_of(t, ir_version_, options_.external);
    } catch (const Error&) {  // what is wrong with its storage is for the checker
    }
    complete_value(known);
    held.set(std::move(known));
  }
}

// The default of an input: its declared shape goes before the default's, and its contents are those of the default, as
// the onnx package takes them.
void DocumentWalk::initializer(std::string_view name, ValueType&& type, const ir::Tensor* contents, Scope& scope) {
  const auto next = static_cast<ValueId>(values_.size());
  const ValueId* id = scope.ids.add(name, next);
  if (!id) {
    Held& held = values_.emplace_back(name);
    held.type = std::move(type);
    held.unread = contents;
    if (scope.recorded) scope.defined.push_back(next);
    return;
  }
  Held& held = values_[*id];
  const ValueType& declared = held.type;
  const bool fits =
      is_open(declared) ||
      (opset::same_type(declared, type) && declared.is_tensor() && declared.shape->size() == type.shape->size() &&
       std::equal(declared.shape->begin(), declared.shape->end(), type.shape->begin(),
                  [](const DimExpr& a, const DimExpr& b) { return !DimExpr::differ(a, b); }));
  if (!fits) return;  // the checker says what is wrong with it
  held.contents.clear();
  held.unread = contents;
  if (is_open(held.type)) {
    held.type = std::move(type);
    held.unknown = 0;
  }
}

void DocumentWalk::merge_declared(ValueId id, std::string_view name, const Scope& scope) {
  const std::uint32_t* at = scope.declared.find(name);
  if (!at) return;
  const ir::ValueInfo& info = scope.infos[*at];
  merge(values_[id], *info.type, place(PlaceKind::Declared, scope.place, &info), "value_info");
}

bool DocumentWalk::merge(Held& held, const ir::Type& type, PlaceId at, std::string_view what) {
  const ValueType declared = declared_type(type, std::string(what) + " declares no size here", at);
  if (!declared.known()) return true;
  ValueType& found = held.type;
  if (!opset::same_type(found, declared)) {
    problem(Problem::Kind::DeclaredType, Fault::Meaning,
            Error(ErrorCode::InvalidGraph,
                  std::string(what) + " declares " + declared.to_string() + ", but " + given_by(at) + found.to_string(),
                  {}, "correct what is declared, or put a Cast where the value is made"),
            at);
    return false;
  }
  if (!found.known() || (found.is_tensor() && found.elem == DataType::Undefined)) {
    if (!found.known())
      found = declared;
    else
      found.elem = declared.elem;
  }
  const bool agrees = merge_shape(held, declared, at, what);
  if (!is_open(found)) held.unknown = 0;
  return agrees;
}

bool DocumentWalk::merge_shape(Held& held, const ValueType& declared, PlaceId at, std::string_view what) {
  ValueType& found = held.type;
  if (!declared.shape) {
    if (found.element && declared.element && is_open(*found.element) && !is_open(*declared.element))
      found.element = declared.element;
    return true;
  }
  if (!found.shape) {
    found.shape = declared.shape;
    return true;
  }
  const auto report = [&](Problem::Kind kind, const std::string& why, std::string hint) {
    problem(kind, Fault::Meaning,
            Error(ErrorCode::InvalidGraph,
                  std::string(what) + " declares " + declared.to_string() + ", but " + given_by(at) +
                      found.to_string() + ": " + why,
                  {}, std::move(hint)),
            at);
  };
  const auto conflict = [&](const std::string& why) {
    report(Problem::Kind::DeclaredShape, why,
           "correct what is declared, or leave the shape out of it, unless what gives the value is wrong");
    return false;
  };
  const auto doubt = [&](const std::string& why) {
    report(Problem::Kind::Variables, why,
           "one name stands for one size in all of a model: declare another name, or none, for sizes that differ");
  };
  if (found.shape->size() != declared.shape->size()) return conflict("the ranks differ");
  for (std::size_t d = 0; d < found.shape->size(); ++d) {
    DimExpr& have = (*found.shape)[d];
    const DimExpr& says = (*declared.shape)[d];
    if (have == says) continue;
    if (have.is_constant() && says.is_constant()) return conflict("dimension " + std::to_string(d) + " differs");
    // A declared size without a name adds nothing.
    if (opset::has_fresh(says)) continue;
    const Symbols::Mark before = out_.symbols.mark();
    try {
      out_.symbols.equal(have, says, at);
    } catch (const Error& e) {
      doubt(e.message());
      continue;
    }
    // P + S declared as P says that one name was used for two sizes, rather than that S is always 0.
    if (!have.is_constant() && !says.is_constant()) {
      if (const std::string name = emptied(out_.symbols.since(before)); !name.empty()) {
        out_.symbols.take_back(before);
        doubt(have.to_string() + " is " + says.to_string() + " only if " + name + " is 0");
        continue;
      }
    }
    if (!have.is_constant() && (says.is_constant() || opset::has_fresh(have) || !says.variable_name().empty()))
      have = says;
  }
  return true;
}

}  // namespace norn::infer
