// One node: the operator version it is written for, what inference finds at that version (subgraphs are lowered when
// inference asks for them), and the node at the newest version, or what version steps make of it.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "infer/model_faults.h"
#include "infer/signature.h"
#include "ir/walk.h"
#include "norn/error.h"
#include "ops/controlflow/if/if.h"
#include "ops/generator/constant/constant.h"
#include "ops/tensor/transpose/transpose.h"
#include "ops/text/regex_full_match/regex_full_match.h"
#include "opset/reference.h"
#include "opset/registry.h"
#include "opset/type_check.h"
#include "program/graph_facts.h"
#include "program/lowerer.h"

namespace norn::program {

using opset::DimExpr;
using opset::Fact;
using opset::ValueType;

// What inference of one node may ask for: equalities, which are solved when all nodes are there, and the lowering of
// its subgraphs. Of an If with a known condition it asks for one branch; this one always runs, and lands in place of
// the If.
class NodeGraphs final : public infer::Surroundings {
 public:
  NodeGraphs(Lowerer& lowerer, const std::vector<ir::Attribute>& attrs, Scope& scope, const Place& place,
             const std::string& path, const opset::Operator& op, bool branch_is_known)
      : lowerer_(lowerer),
        attrs_(attrs),
        scope_(scope),
        place_(place),
        path_(path),
        op_(op),
        branch_is_known_(branch_is_known) {
    if (lowerer_.depth_ == 0) lowerer_.loops_.clear();
    if (lowerer_.depth_ > 0 && infer::LoopMemory::serves(op)) memory_ = &lowerer_.loops_[path];
    if (memory_) memory_->begin();
  }

  bool take_equality(const DimExpr& a, const DimExpr& b, std::string_view what) override {
    equalities_.push_back({a, b, std::string(what), 0});
    return true;
  }
  std::vector<Fact> infer_subgraph(std::string_view attribute, std::span<const Fact> given) override {
    std::vector<Fact> formals(given.begin(), given.end());
    if (op_.control_flow == opset::ControlFlow::Loop) take_declared_ranks(attribute, formals);
    if (memory_)
      if (auto answer = memory_->answer(op_, formals)) return *std::move(answer);
    // Inference of loops asks again with wider formals; the last answer is what runs.
    for (std::size_t i = 0; i < subgraphs_.size(); ++i) {
      if (subgraphs_[i].attribute != attribute) continue;
      const Graph& done = *subgraphs_[i].graph;
      if (serves(done, formals)) return facts_of(done, done.outputs);
      lowerer_.forget(done);
      subgraphs_.erase(subgraphs_.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
    for (const ir::Attribute& attr : attrs_) {
      if (attr.name != attribute || !attr.g) continue;
      try {
        return lower_attribute(attr, formals);
      } catch (const Error& e) {
        failure_ = e;
        throw;
      }
    }
    throw infer::as_error(ErrorCode::InvalidGraph, infer::attribute_without_graph(attribute));
  }
  std::vector<Subgraph> take_subgraphs() { return std::move(subgraphs_); }
  std::vector<Equality> take_equalities() { return std::exchange(equalities_, {}); }
  // The error of lowering a subgraph. Its place is complete, and nothing about the node around belongs before it.
  const std::optional<Error>& failure() const { return failure_; }
  // The outputs of the branch that stands in place of the node, if one does.
  const std::optional<std::vector<ValueId>>& taken() const { return taken_; }

 private:
  // The iteration number and the condition, which Loop makes itself, have the rank that its body declares for them: one
  // element, or a list of one.
  void take_declared_ranks(std::string_view attribute, std::span<Fact> formals) const {
    for (const ir::Attribute& attr : attrs_) {
      if (attr.name != attribute || !attr.g) continue;
      for (std::size_t i = 0; i < 2 && i < formals.size() && i < attr.g->input.size(); ++i) {
        const ir::ValueInfo& info = attr.g->input[i];
        if (!info.type || !formals[i].type.is_tensor()) continue;
        const ValueType declared = opset::from_ir(*info.type, [] { return DimExpr(1); });
        if (!declared.is_tensor() || !declared.shape || declared.shape->size() > 1) continue;
        formals[i].type.shape = opset::Dims(declared.shape->size(), 1);
      }
    }
  }
  // Whether the graph was lowered for just these formals.
  static bool serves(const Graph& graph, std::span<const Fact> formals) {
    for (std::size_t i = 0; i < formals.size() && i < graph.inputs.size(); ++i)
      if (formals[i].type.known() && formals[i].type.to_string() != graph.value(graph.inputs[i]).type.to_string())
        return false;
    return true;
  }
  static std::vector<Fact> facts_of(const Graph& graph, const std::vector<ValueId>& ids) {
    std::vector<Fact> facts;
    for (ValueId id : ids) facts.push_back({graph.value(id).type, graph.value(id).known});
    return facts;
  }
  std::vector<Fact> lower_attribute(const ir::Attribute& attr, std::span<const Fact> formals) {
    if (branch_is_known_) {
      taken_ = lowerer_.inline_branch(attr, scope_, place_, path_);
      return facts_of(scope_.graph(), *taken_);
    }
    std::vector<ValueType> types;
    for (const Fact& formal : formals) types.push_back(formal.type);
    subgraphs_.push_back(lowerer_.lower_subgraph(attr, types, scope_, place_, path_));
    return facts_of(*subgraphs_.back().graph, subgraphs_.back().graph->outputs);
  }

  Lowerer& lowerer_;
  const std::vector<ir::Attribute>& attrs_;
  Scope& scope_;
  const Place& place_;
  const std::string& path_;
  const opset::Operator& op_;
  infer::LoopMemory* memory_ = nullptr;  // of a loop that may be lowered again
  bool branch_is_known_;
  std::optional<Error> failure_;
  std::optional<std::vector<ValueId>> taken_;
  std::vector<Subgraph> subgraphs_;
  std::vector<Equality> equalities_;
};

namespace {

std::vector<ValueId> inputs_of(const ir::Node& node, Scope& scope) {
  std::vector<ValueId> inputs;
  for (const std::string& name : node.input) inputs.push_back(name.empty() ? kNone : scope.capture(name));
  return inputs;
}

bool has_known_condition(const opset::Operator& op, const std::vector<ValueId>& inputs, const Graph& graph) {
  if (&op != &ops::If || inputs.empty() || inputs[0] == kNone) return false;
  const norn::Tensor& condition = graph.value(inputs[0]).known.constant;
  return condition.defined() && condition.dtype() == DataType::Bool && condition.size() == 1;
}

// Known contents of so few bytes, as shapes have, are always kept; they weigh little beside the node itself.
constexpr std::uint64_t kAlwaysKept = 512;
// What the larger ones may add up to, beside as much as the model's own constants.
constexpr std::uint64_t kKnownAllowance = std::uint64_t{64} << 20;

// Where an attribute is missing because the call of the function around gives none of the name that it refers to.
Error of_missing_reference(const Error& error, const ir::Node& node, const ir::Node& resolved, const Call* call) {
  for (const ir::Attribute& attr : node.attribute) {
    if (!call || !attr.ref_attr_name.has() || !error.message().starts_with("the required attribute")) continue;
    const auto has_name = [&](const ir::Attribute& a) { return a.name == attr.name; };
    if (std::any_of(resolved.attribute.begin(), resolved.attribute.end(), has_name)) continue;
    if (error.message().find(base::quoted(attr.name.get())) == std::string::npos) continue;
    const std::string name = base::quoted(attr.ref_attr_name.get());
    return Error(error.code(),
                 error.message() + ": the call of the function \"" + call->function->name.get() + "\" gives no " +
                     name + ", which it refers to",
                 error.where(), "give the call the attribute " + name + ", or the function a default for it");
  }
  return error;
}

// Attributes that only the library behind a kernel can check are checked on empty inputs when the model is loaded.
void try_attributes(const opset::Operator& op, const opset::Attrs& attrs) {
  if (&op != &ops::RegexFullMatch) return;
  const norn::Value none = norn::Tensor(DataType::String, {0});
  const norn::Value* const inputs[] = {&none};
  try {
    opset::evaluate(op, attrs, inputs, 1);
  } catch (const Error& e) {
    throw Error(ErrorCode::InvalidGraph, e.message(), e.where(), e.hint());
  }
}

}  // namespace

void Lowerer::fail_too_many_nodes() const {
  throw infer::as_error(ErrorCode::LimitExceeded, infer::too_many_nodes(options_.limits.max_expanded_nodes));
}

void Lowerer::count_node() {
  if (++nodes_ > options_.limits.max_expanded_nodes) fail_too_many_nodes();
}

void Lowerer::fail_unrunnable(const CannotRun& cannot) const {
  std::size_t nodes = 0;
  for_each_unrunnable(model_, options_.operator_sets, options_.limits, [&](const Unrunnable&) { ++nodes; });
  const Error& e = cannot.error;
  if (nodes < 2) throw e;
  throw Error(e.code(),
              e.message() + "; " + std::to_string(nodes - 1) + (nodes == 2 ? " more node" : " more nodes") +
                  " cannot be run either",
              {}, e.hint() + (e.hint().empty() ? "" : "; ") + "norn::unrunnable_nodes lists all of them");
}

void Lowerer::lower_node(const ir::Node& node, Scope& scope, const Place& place, const std::string& path) {
  const bool own_imports = place.call && !place.call->function->opset_import.empty();
  Binding binding = bind_node(node, *place.imports, functions_, options_.operator_sets, place.standard,
                              own_imports ? infer::Importer::Function : infer::Importer::Model);
  if (binding.function) {
    inline_call(node, *binding.function, scope, place, path);
    return;
  }
  count_node();
  if (binding.cannot) fail_unrunnable(*std::move(binding.cannot));
  const opset::Operator* op = binding.op;
  transform::BoundNode bound{node, op, binding.schema};
  bound.node.attribute = infer::resolve_attributes(node, place.call, model_.ir_version.get(), options_.external);
  infer::complete_untyped(bound.node.attribute, *bound.schema);
  try {
    infer::check_attributes(bound.node.attribute, *op, *bound.schema);
  } catch (const Error& e) {
    throw of_missing_reference(e, node, bound.node, place.call);
  }

  // The version that the model imports determines the allowed types, and the steps ask for ranks.
  const bool as_body = runs_as_body(*op, *bound.schema);
  if (as_body && op->infer) rank_inputs(bound, scope, place, path);
  std::vector<ValueId> inputs = inputs_of(bound.node, scope);
  NodeGraphs graphs(*this, bound.node.attribute, scope, place, path, *op,
                    has_known_condition(*op, inputs, scope.graph()));
  const std::size_t first_value = scope.graph().values.size();
  Outputs outputs;
  bool contradicts = false;
  try {
    outputs = infer(bound, inputs, scope, graphs);
  } catch (const infer::NodeError&) {
    throw;
  } catch (const Error& e) {
    if (!place.may_not_run || e.code() != ErrorCode::InvalidGraph || infer::has_graph(bound.node.attribute)) throw;
    graphs.take_equalities();
    outputs = infer_types(bound, inputs, scope);
    contradicts = true;
  }
  try_attributes(*op, {*bound.schema, bound.node.attribute});
  if (graphs.taken()) {
    for (std::size_t i = 0; i < node.output.size(); ++i) {
      if (node.output[i].empty()) continue;
      const ValueId id = (*graphs.taken())[i];
      scope.define(node.output[i], id);
      if (id >= first_value) scope.graph().value(id).name = node.output[i];
    }
    return;
  }
  if (op == &ops::Constant) {
    if (!node.output[0].empty())
      define_constant(node.output[0], ops::constant_value({*bound.schema, bound.node.attribute}), scope);
    return;
  }
  // Nodes of a body may accept what the operator refuses: where it does, it stays as it is, and planning reports it.
  if (as_body && contradicts)
    return append(std::move(bound), std::move(inputs), std::move(outputs), scope, path, graphs);
  const std::size_t first_node = scope.graph().nodes.size();
  const Body body = inline_body(bound, inputs, scope, place, path);
  if (body == Body::Inlined) return say_of_body(graphs.take_equalities(), bound.node, first_node, scope);
  const opset::Schema* newest = transform::newest_unchanged(*op, *bound.schema);
  if (newest || body == Body::Waits) {
    if (newest) bound.schema = newest;
    append(std::move(bound), std::move(inputs), std::move(outputs), scope, path, graphs);
    return;
  }
  transform::Lifted lifted = lift(bound, outputs, scope);
  for (transform::BoundNode& part : lifted.nodes) {
    count_node();
    std::vector<ValueId> part_inputs = inputs_of(part.node, scope);
    // What its graphs give is known already, and the graphs are lowered.
    const bool same = infer::has_graph(part.node.attribute) && part.op == op && part_inputs == inputs &&
                      part.node.output == bound.node.output;
    Outputs part_outputs = same          ? std::exchange(outputs, {})
                           : contradicts ? infer_types(part, part_inputs, scope)
                                         : infer(part, part_inputs, scope, graphs);
    const std::size_t first = scope.graph().nodes.size();
    if (inline_body(part, part_inputs, scope, place, path) == Body::Inlined) {
      say_of_body(graphs.take_equalities(), part.node, first, scope);
      continue;
    }
    append(std::move(part), std::move(part_inputs), std::move(part_outputs), scope, path, graphs);
  }
}

Lowerer::Outputs Lowerer::infer(const transform::BoundNode& bound, const std::vector<ValueId>& inputs,
                                const Scope& scope, NodeGraphs& graphs) {
  const auto& names = bound.node.output;
  const std::vector<ir::Attribute>& attrs = bound.node.attribute;
  GraphFacts facts(scope.graph(), names.size(), !infer::has_graph(attrs));
  std::vector<ValueId> outputs;
  for (std::size_t i = 0; i < names.size(); ++i) outputs.push_back(names[i].empty() ? kNone : facts.output(i));
  try {
    infer::Inferrer(facts, symbols_, opset::evaluate, infer::Mode::Trusted)
        .node({bound.op, {*bound.schema, attrs}, inputs, outputs, infer::kNowhere}, &graphs);
  } catch (const Error&) {
    if (graphs.failure()) throw Error(*graphs.failure());
    throw;
  }
  Outputs found = facts.take();
  for (std::size_t i = 0; i < found.size(); ++i) found[i].wanted = !names[i].empty();
  return found;
}

Lowerer::Outputs Lowerer::infer_types(const transform::BoundNode& bound, const std::vector<ValueId>& inputs,
                                      const Scope& scope) {
  infer::FactList facts;
  std::vector<infer::ValueId> in, out;
  for (ValueId id : inputs)
    in.push_back(id == kNone ? infer::kNoValue : facts.add({opset::without_shape(scope.graph().value(id).type), {}}));
  for (const std::string& name : bound.node.output) out.push_back(name.empty() ? infer::kNoValue : facts.add());
  infer::Inferrer(facts, symbols_, nullptr, infer::Mode::Trusted)
      .node({bound.op, {*bound.schema, bound.node.attribute}, in, out, infer::kNowhere});
  Outputs found(out.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    found[i].wanted = out[i] != infer::kNoValue;
    if (found[i].wanted) found[i].type = opset::without_shape(facts[out[i]].type);
  }
  return found;
}

void Lowerer::say_of_body(const std::vector<Equality>& said, const ir::Node& node, std::size_t first_node,
                          Scope& scope) {
  if (said.empty()) return;
  const Graph& graph = scope.graph();
  std::vector<ValueId> outputs;
  for (const std::string& name : node.output)
    if (!name.empty()) outputs.push_back(scope.find(name));
  for (std::size_t n = first_node; n < graph.nodes.size(); ++n) {
    const bool gives = std::any_of(outputs.begin(), outputs.end(), [&](ValueId id) {
      return std::find(graph.nodes[n].outputs.begin(), graph.nodes[n].outputs.end(), id) !=
             graph.nodes[n].outputs.end();
    });
    if (!gives) continue;
    for (Equality each : said) {
      each.node = n;
      equalities_[&graph].push_back(std::move(each));
    }
  }
}

std::optional<std::int64_t> Lowerer::only_rank(const transform::BoundNode& bound, const std::vector<ValueId>& inputs,
                                               std::size_t input, const Scope& scope) {
  constexpr std::int64_t kRanks = 9;
  class Unheard final : public infer::Surroundings {
    bool take_equality(const DimExpr&, const DimExpr&, std::string_view) override { return true; }
    std::vector<Fact> infer_subgraph(std::string_view, std::span<const Fact>) override { return {}; }
  };
  std::optional<std::int64_t> only;
  for (std::int64_t rank = 0; rank < kRanks; ++rank) {
    infer::FactList facts;
    std::vector<infer::ValueId> in, out;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == kNone) {
        in.push_back(infer::kNoValue);
        continue;
      }
      ValueType type = scope.graph().value(inputs[i]).type;
      if (i == input) {
        type.shape.emplace();
        for (std::int64_t d = 0; d < rank; ++d) type.shape->push_back(symbols_.fresh({}, infer::kNowhere));
      }
      in.push_back(facts.add({std::move(type), {}}));
    }
    for (const std::string& name : bound.node.output) out.push_back(name.empty() ? infer::kNoValue : facts.add());
    Unheard around;
    try {
      infer::Inferrer(facts, symbols_, nullptr, infer::Mode::Trusted)
          .node({bound.op, {*bound.schema, bound.node.attribute}, in, out, infer::kNowhere}, &around);
    } catch (const Error&) {
      continue;
    }
    if (only) return {};
    only = rank;
  }
  return only;
}

void Lowerer::rank_inputs(transform::BoundNode& bound, Scope& scope, const Place& place, const std::string& path) {
  const auto open = [&](const std::string& name) {
    const ValueId id = name.empty() ? kNone : scope.capture(name);
    return id != kNone && scope.graph().value(id).type.is_tensor() && !scope.graph().value(id).type.has_rank();
  };
  for (std::size_t i = 0; i < bound.node.input.size(); ++i) {
    const std::string name = bound.node.input[i];
    if (!open(name)) continue;
    const auto rank = only_rank(bound, inputs_of(bound.node, scope), i, scope);
    if (!rank) continue;
    count_node();
    transform::BoundNode ranked;
    ranked.op = &ops::Transpose;
    ranked.schema = &ops::Transpose.history.back();
    ranked.node.op_type = std::string("Transpose");
    ranked.node.input.push_back(name);
    ranked.node.output.push_back(name + "__" + fresh_suffix());
    ir::Attribute& perm = ranked.node.attribute.emplace_back();
    perm.name = std::string("perm");
    perm.type = static_cast<std::int32_t>(ir::AttributeType::Ints);
    for (std::int64_t d = 0; d < *rank; ++d) perm.ints.push_back(d);
    NodeGraphs none(*this, ranked.node.attribute, scope, place, path, ops::Transpose, false);
    std::vector<ValueId> inputs = inputs_of(ranked.node, scope);
    Outputs outputs = infer(ranked, inputs, scope, none);
    bound.node.input[i] = ranked.node.output[0];
    append(std::move(ranked), std::move(inputs), std::move(outputs), scope, path, none);
  }
}

// The constants that the steps make are defined in the graph.
transform::Lifted Lowerer::lift(const transform::BoundNode& bound, const Outputs& outputs, Scope& scope) {
  Graph& graph = scope.graph();
  transform::NodeContext context;
  context.type_of = [&](const std::string& name) -> const ValueType* {
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].wanted && bound.node.output[i] == name) return &outputs[i].type;
    const ValueId id = scope.find(name);
    return id == kNone ? nullptr : &graph.value(id).type;
  };
  context.constant_of = [&](const std::string& name) -> const norn::Tensor* {
    const ValueId id = scope.find(name);
    if (id == kNone) return nullptr;
    const Value& value = graph.value(id);
    if (value.is_constant()) return &value.constant;
    return value.known.constant.defined() ? &value.known.constant : nullptr;
  };
  context.fresh_name = [&](const std::string& hint) { return hint + "__" + fresh_suffix(); };
  transform::Lifted lifted = transform::move_version(bound, opset::newest_version(bound.op->domain), context);
  for (auto& [name, tensor] : lifted.constants) define_constant(name, std::move(tensor), scope);
  return lifted;
}

opset::KnownValue Lowerer::kept(opset::KnownValue known) {
  if (known.constant.defined()) known.ints.clear();  // they follow from it
  const std::uint64_t bytes = known.constant.defined() ? memory_of(known.constant)
                              : known.ints             ? known.ints->size() * sizeof(DimExpr)
                              : known.fractions        ? known.fractions->size() * sizeof(opset::Fraction)
                                                       : 0;
  if (bytes <= kAlwaysKept) return known;
  if (known_bytes_ + bytes > kKnownAllowance + own_bytes_) return {};
  known_bytes_ += bytes;
  return known;
}

// Gives the node a value for each output, with what inference found out about it.
void Lowerer::append(transform::BoundNode bound, std::vector<ValueId> inputs, Outputs outputs, Scope& scope,
                     const std::string& path, NodeGraphs& graphs) {
  Graph& graph = scope.graph();
  Node made;
  made.op = bound.op;
  made.schema = bound.schema;
  made.name = std::move(bound.node.name.mut());
  made.inputs = std::move(inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].wanted) {
      made.outputs.push_back(kNone);
      continue;
    }
    Value value;
    value.name = bound.node.output[i];
    value.type = std::move(outputs[i].type);
    value.known = kept(std::move(outputs[i].value));
    const ValueId id = graph.add_value(std::move(value));
    scope.define(bound.node.output[i], id);
    made.outputs.push_back(id);
  }
  made.attrs = std::move(bound.node.attribute);
  if (std::erase_if(made.attrs, [](const ir::Attribute& a) { return a.g.has(); }) > 0)
    made.subgraphs = graphs.take_subgraphs();
  made.paths = {path};
  made.device_configurations = std::move(bound.node.device_configurations);
  made.metadata = std::move(bound.node.metadata_props);
  for (Equality& said : graphs.take_equalities()) {
    said.node = graph.nodes.size();
    equalities_[&graph].push_back(std::move(said));
  }
  graph.nodes.push_back(std::move(made));
}

Subgraph Lowerer::lower_subgraph(const ir::Attribute& attr, const std::vector<ValueType>& inputs, Scope& scope,
                                 const Place& place, const std::string& path) {
  Subgraph sub;
  sub.attribute = attr.name;
  sub.graph = std::make_unique<Graph>();
  Scope inner(*sub.graph, &scope);
  sub.graph->name = attr.g->name;
  Place inside = enter_graph(attr, place, path);
  inside.may_not_run = true;
  sub.graph->outputs = lower_graph(*attr.g, inner, inside, inputs, false);
  --depth_;
  return sub;
}

Place Lowerer::enter_graph(const ir::Attribute& attr, const Place& place, const std::string& path) {
  Place inside = place;
  inside.path = path + " / attribute \"" + attr.name.get() + "\" / " + ir::describe_graph(*attr.g);
  if (++depth_ > options_.limits.max_depth)
    throw infer::as_error(ErrorCode::LimitExceeded, infer::nested_too_deeply(options_.limits.max_depth), inside.path);
  return inside;
}

std::vector<ValueId> Lowerer::inline_branch(const ir::Attribute& attr, Scope& scope, const Place& place,
                                            const std::string& path) {
  Scope inner(scope.graph(), &scope);
  const Place inside = enter_graph(attr, place, path);
  std::vector<ValueId> outputs = lower_graph(*attr.g, inner, inside, {}, false);
  --depth_;
  return outputs;
}

}  // namespace norn::program
