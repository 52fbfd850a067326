// Lowering walks the document once, in order, and does everything a node needs at once: resolves it (local function or
// operator), substitutes function attributes, checks its attributes against the schema, infers it at the version it
// binds to, lifts it to the newest version, and appends what came of it. What nodes said of sizes is put together when
// all of them are there. Here are the graphs around the nodes: inputs, initializers, which may be inputs too, and
// outputs.
#include "program/lower.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "infer/body_faults.h"
#include "infer/infer_node.h"
#include "infer/model_faults.h"
#include "infer/signature.h"
#include "ir/constants.h"
#include "ir/walk.h"
#include "norn/error.h"
#include "ops/tensor/reshape/reshape.h"
#include "opset/registry.h"
#include "program/inlined.h"
#include "program/lowerer.h"

namespace norn::program {

using opset::ValueType;

namespace {

bool has_reshape(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    return node.op == &ops::Reshape || std::any_of(node.subgraphs.begin(), node.subgraphs.end(),
                                                   [](const Subgraph& sub) { return has_reshape(*sub.graph); });
  });
}

void forbid_copied_sizes(Graph& graph) {
  graph.may_copy_sizes = false;
  for (Node& node : graph.nodes)
    for (Subgraph& sub : node.subgraphs) forbid_copied_sizes(*sub.graph);
}

// One below 1, as where the field is missing, is refused where a node needs the set.
void check_version(const std::string& domain, std::int64_t version) {
  if (version < 1) return;
  if (auto fault = infer::unknown_version(domain, version))
    throw infer::as_error(ErrorCode::NotImplemented, *std::move(fault), "opset_import");
}

// A subgraph's inputs are the last of `graph`, behind `around` others. The node around it gives `given` of them; what
// comes behind are constants, of which infer::body_faults has found enough.
void settle_inputs(Graph& graph, std::size_t around, std::size_t given, const Place& place) {
  for (std::size_t i = around + given; i < graph.inputs.size(); ++i) {
    Value& value = graph.value(graph.inputs[i]);
    if (!value.constant.defined())
      throw infer::as_error(ErrorCode::InvalidGraph, infer::input_behind_constant(),
                            place.path + " / input \"" + value.name + "\"");
    make_constant(value, std::move(value.constant));
  }
  if (graph.inputs.size() > around + given) graph.inputs.resize(around + given);
}

ValueType type_of(const norn::Tensor& t) {
  return ValueType::tensor(t.dtype(), opset::Dims(t.dims().begin(), t.dims().end()));
}

// Whether a value declared so may be this one.
bool may_be(const ValueType& declared, const norn::Tensor& t) {
  if (!declared.is_tensor()) return !declared.known();
  if (declared.elem != DataType::Undefined && declared.elem != t.dtype()) return false;
  if (!declared.shape) return true;
  if (declared.shape->size() != t.dims().size()) return false;
  for (std::size_t d = 0; d < t.dims().size(); ++d)
    if ((*declared.shape)[d].is_constant() && (*declared.shape)[d].constant() != t.dims()[d]) return false;
  return true;
}

// Against a graph output that is of another type than its value.
std::string cure(const ValueType& declared, const ValueType& given) {
  std::string own = "declare the output as its node gives it, " + given.type_string();
  if (declared.is_tensor() && given.is_tensor()) return own + ", or put a Cast before it";
  if (declared.is_tensor() && given.kind == ValueType::Kind::Sequence)
    return own + ", or join the elements with ConcatFromSequence";
  if (declared.is_tensor() && given.kind == ValueType::Kind::Optional)
    return own + ", or take what it holds with OptionalGetElement";
  return own;
}

[[noreturn]] void fail_tensor(Error& e, const std::string& where) {
  if (e.code() == ErrorCode::InvalidGraph)
    e.help(
        "type, shape and data of the tensor do not fit together: the file is damaged, or what wrote it is at fault; "
        "fetch it again, or export the model anew");
  throw Error(e.within(where));
}

}  // namespace

Program Lowerer::run() {
  const std::int64_t ir_version = model_.ir_version.get();
  if (ir_version > ir::kNewestIrVersion)
    throw infer::as_error(ErrorCode::NotImplemented, infer::unknown_ir_version(ir_version));
  if (!model_.graph) throw infer::as_error(ErrorCode::InvalidGraph, infer::no_graph());
  if (expanded_size(model_.graph->node) > options_.limits.max_expanded_nodes) fail_too_many_nodes();
  const Imports imports = infer::imports_of(model_.opset_import, model_.ir_version.get());
  for (const auto& [domain, version] : imports) check_version(domain, version);

  Program program;
  program.ir_version = model_.ir_version;
  program.producer = model_.producer_name;
  program.configurations = model_.configuration;
  program.declared_inputs = model_.graph->input;
  program.declared_outputs = model_.graph->output;
  Scope scope(program.main);
  Place place;
  place.path = ir::describe_graph(*model_.graph);
  place.imports = &imports;
  program.main.name = model_.graph->name;
  program.main.outputs = lower_graph(*model_.graph, scope, place, {}, true);
  if (!equalities_.empty()) solve(program.main, false);
  if (!has_reshape(program.main)) forbid_copied_sizes(program.main);
  program.states = std::move(states_);
  program.fresh_dims = symbols_.next_fresh();
  program.waits = waits_;
  return program;
}

std::vector<ValueId> Lowerer::lower_graph(const ir::Graph& source, Scope& scope, const Place& place,
                                          const std::vector<ValueType>& given, bool main) {
  const std::size_t around = scope.graph().inputs.size();
  lower_inputs(source, scope, place, given, main);
  lower_initializers(source, scope, place, main);
  if (!main) settle_inputs(scope.graph(), around, given.size(), place);
  lower_nodes(source.node, scope, place);
  return lower_outputs(source, scope, place);
}

void Lowerer::lower_inputs(const ir::Graph& source, Scope& scope, const Place& place,
                           const std::vector<ValueType>& given, bool main) {
  for (std::size_t i = 0; i < source.input.size(); ++i) {
    const ir::ValueInfo& info = source.input[i];
    const auto where = [&] { return place.path + " / input \"" + info.name.get() + "\""; };
    Value value;
    value.name = info.name;
    value.origin = Origin::Feed;
    if (info.type)
      value.type = opset::from_ir(*info.type,
                                  [&] { return symbols_.fresh("the input declares no size here", infer::kNowhere); });
    if (i < given.size() && given[i].known()) value.type = given[i];
    if (main && !value.type.known())
      throw infer::as_error(ErrorCode::InvalidGraph, infer::untyped_input(info), where());
    try {
      const ValueId id = scope.graph().add_value(std::move(value));
      scope.define(info.name, id, infer::Definer::Input);
      scope.graph().inputs.push_back(id);
    } catch (Error& e) {
      throw e.within(where());
    }
  }
}

void Lowerer::lower_initializers(const ir::Graph& source, Scope& scope, const Place& place, bool main) {
  for (const ir::Tensor& t : source.initializer) {
    try {
      norn::Tensor contents = infer::contents_of(t, model_.ir_version.get(), options_.external);
      own_bytes_ += memory_of(contents);
      lower_initializer(t.name, std::move(contents), scope, main);
    } catch (Error& e) {
      fail_tensor(e, place.path + " / initializer \"" + t.name.get() + "\"");
    }
  }
  for (const ir::SparseTensor& s : source.sparse_initializer) {
    const std::string name = s.values ? s.values->name.get() : std::string();
    try {
      lower_initializer(name, ir::densify(s, options_.external), scope, main);
    } catch (Error& e) {
      fail_tensor(e, place.path + " / sparse_initializer \"" + name + "\"");
    }
  }
}

void Lowerer::lower_initializer(const std::string& name, norn::Tensor contents, Scope& scope, bool main) {
  Graph& graph = scope.graph();
  if (const ValueId existing = scope.find(name); existing != kNone) {
    // Also an input: its default. Up to IR 3 every initializer had to be listed as an input, constants as well; of a
    // subgraph, settle_inputs() knows which are.
    Value& input = graph.value(existing);
    if (input.origin != Origin::Feed || input.constant.defined())
      scope.fail_redefined(name, infer::Definer::Initializer);
    if (!main || model_.ir_version.get() >= 4 || options_.feedable_weights) {
      if (!may_be(input.type, contents))
        throw infer::as_error(ErrorCode::InvalidGraph,
                              infer::default_of_other_type(type_of(contents).to_string(), input.type.to_string()));
      input.constant = std::move(contents);
      return;
    }
    make_constant(input, std::move(contents));
    std::erase(graph.inputs, existing);
    return;
  }
  Value& value = graph.value(define_constant(name, std::move(contents), scope, infer::Definer::Initializer));
  if (!main || !options_.keep_state || !is_trained(name)) return;
  value.origin = Origin::State;
  value.state = static_cast<std::uint32_t>(states_.size());
  value.known = {};
  states_.push_back({name, value.type, std::exchange(value.constant, {})});
}

ValueId Lowerer::define_constant(const std::string& name, norn::Tensor contents, Scope& scope, infer::Definer by) {
  Value value;
  value.name = name;
  make_constant(value, std::move(contents));
  const ValueId id = scope.graph().add_value(std::move(value));
  scope.define(name, id, by);
  return id;
}

bool Lowerer::is_trained(const std::string& initializer) const {
  for (const ir::TrainingInfo& training : model_.training_info)
    for (const ir::StringStringEntry& binding : training.update_binding)
      if (binding.key == initializer) return true;
  return false;
}

void Lowerer::lower_nodes(const std::vector<ir::Node>& nodes, Scope& scope, const Place& place) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const ir::Node& node = nodes[i];
    const std::string path = place.path + " / " + ir::describe_node(node, i);
    scope.enter_node(nodes, i);
    std::optional<ir::Node> with_omitted;  // the node without the inputs that a call leaves out
    const std::string* omitted = nullptr;  // the first of them
    try {
      for (std::size_t k = 0; k < node.input.size(); ++k)
        if (!node.input[k].empty() && scope.capture(node.input[k]) == kNone) {
          if (!scope.omits(node.input[k])) scope.fail_undefined(k);
          if (!with_omitted) with_omitted = node, omitted = &node.input[k];
          with_omitted->input[k].clear();
        }
      lower_node(with_omitted ? *with_omitted : node, scope, place, path);
    } catch (Error& e) {
      const bool own = e.where().find(path) == std::string::npos;
      if (own) e.within(path);
      const auto* signature = dynamic_cast<const infer::NodeError*>(&e);
      if (own && omitted && signature && signature->fault() == infer::Fault::Signature) {
        throw infer::as_error(e.code(), infer::left_out_by_call(*omitted, e.message()), e.where());
      }
      if (e.code() == ErrorCode::InvalidGraph)
        e.help(
            "the model contradicts itself here, whatever it is fed: correct this node or what it reads, or export the "
            "model anew");
      if (own && node.input.size() > 1)
        if (std::string asked = asked_for(e, node.input[1]); !asked.empty())
          throw GuardRefuses(std::move(e), std::move(asked));
      throw;
    }
  }
}

std::vector<ValueId> Lowerer::lower_outputs(const ir::Graph& source, Scope& scope, const Place& place) {
  Graph& graph = scope.graph();
  std::vector<ValueId> outputs;
  for (const ir::ValueInfo& info : source.output) {
    const auto where = [&] { return place.path + " / output \"" + info.name.get() + "\""; };
    const ValueId id = scope.capture(info.name);
    if (id == kNone) {
      infer::FaultText fault = infer::undefined_output(info.name.get(), false, scope.similar(info.name));
      if (scope.omits(info.name))
        fault.message =
            "the graph output \"" + info.name.get() + "\" is an input that the call of the function leaves out";
      throw infer::as_error(ErrorCode::InvalidGraph, std::move(fault), where());
    }
    if (info.type) {
      ValueType declared = opset::from_ir(
          *info.type, [&] { return symbols_.fresh("the output declares no size here", infer::kNowhere); });
      Value& value = graph.value(id);
      if (!value.type.known())
        value.type = std::move(declared);
      else if (declared.known() && declared.type_string() != value.type.type_string())
        throw Error(ErrorCode::InvalidGraph,
                    "the graph output is declared " + declared.type_string() + ", but its node gives " +
                        value.type.type_string(),
                    where(), cure(declared, value.type));
    }
    outputs.push_back(id);
  }
  return outputs;
}

Program lower(const ir::Model& model, const LowerOptions& options) { return Lowerer(model, options).run(); }

}  // namespace norn::program
