// Lowering walks the document once, in order, and does everything a node needs at once: resolves it (local function or
// operator), substitutes function attributes, checks its attributes against the schema, infers it at the version it
// binds to, lifts it to the newest version, and appends what came of it.
//
// Names resolve through scopes. A subgraph sees the values of the graphs around it; what it uses of them becomes a
// capture. A function body sees only its formal parameters, but its nodes land in the caller's graph.
#include "program/lower.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "infer/infer_node.h"
#include "infer/unifier.h"
#include "ir/walk.h"
#include "opset/reference.h"
#include "opset/registry.h"
#include "transform/lift.h"

namespace norn::program {
namespace {

using opset::DimExpr;
using opset::ValueType;

// Opset versions in force, by canonical domain.
using Imports = std::map<std::string, std::int64_t, std::less<>>;

struct Scope {
  Scope* parent = nullptr;  // what a subgraph also sees; null for the main graph and function bodies
  Graph* graph = nullptr;
  std::unordered_map<std::string, ValueId> names;
};

// A call being inlined: attribute values for the body's references.
struct Call {
  const Call* parent = nullptr;
  const ir::Function* function = nullptr;
  std::unordered_map<std::string, const ir::Attribute*> attributes;
  int depth = 1;
};

struct Place {
  std::string path;  // of the enclosing graph or call
  const Imports* imports = nullptr;
  const Call* call = nullptr;
};

constexpr int kMaxCallDepth = 100;

std::string attribute_type_name(ir::AttributeType type) {
  static constexpr std::string_view kNames[] = {"UNDEFINED", "FLOAT",   "INT",    "STRING",        "TENSOR",
                                                "GRAPH",     "FLOATS",  "INTS",   "STRINGS",       "TENSORS",
                                                "GRAPHS",    "SPARSE_TENSOR", "SPARSE_TENSORS", "TYPE_PROTO",
                                                "TYPE_PROTOS"};
  auto i = static_cast<std::size_t>(type);
  return i < std::size(kNames) ? std::string(kNames[i]) : "type " + std::to_string(i);
}

std::string domain_name(std::string_view domain) { return domain.empty() ? "ai.onnx" : std::string(domain); }

class Lowerer {
 public:
  Lowerer(const ir::Model& model, const LowerOptions& options) : model_(model), options_(options) {}
  Program run();

 private:
  friend class NodeEngine;

  void lower_graph(const ir::Graph& source, Scope& scope, const Place& place, const std::vector<ValueType>* given,
                   bool main);
  void lower_initializers(const ir::Graph& source, Scope& scope, const Place& place, bool main);
  void lower_nodes(const std::vector<ir::Node>& nodes, Scope& scope, const Place& place);
  void lower_node(const ir::Node& node, Scope& scope, const Place& place, const std::string& path);
  void inline_call(const ir::Node& node, const ir::Function& function, Scope& scope, const Place& place,
                   const std::string& path);
  std::vector<ir::Attribute> resolve_attributes(const ir::Node& node, const Call* call) const;
  void check_attributes(const std::vector<ir::Attribute>& attrs, const opset::Operator& op,
                        const opset::Schema& schema) const;
  void emit(const transform::BoundNode& bound, Scope& scope, const std::string& path, class NodeEngine& engine);
  void define(Scope& scope, const std::string& name, ValueId id) const;
  void define_outputs(Node& made, const std::vector<std::string>& names,
                      std::vector<opset::InferContext::Output>& outputs, Scope& scope) const;
  ValueId resolve(const Scope& scope, const std::string& name) const;  // kNone if not visible
  ValueId capture(Scope& scope, const std::string& name);
  [[noreturn]] void fail_undefined(const std::vector<ir::Node>& nodes, std::size_t index, std::size_t input,
                                   const Scope& scope) const;
  const ir::Function* find_function(std::string_view domain, const ir::Node& node) const;
  // The body that a loaded operator set gives; null if none declares the operator. Throws if one does without a body.
  const ir::Function* find_in_sets(const std::string& domain, const ir::Node& node, const Place& place) const;
  Imports imports_of(const std::vector<ir::OperatorSetId>& entries) const;
  void count_node() {
    if (++emitted_ > options_.limits.max_expanded_nodes)
      throw Error(ErrorCode::LimitExceeded,
                  "the model has more than " + std::to_string(options_.limits.max_expanded_nodes) +
                      " nodes once its functions are replaced by their bodies",
                  {}, "raise Limits::max_expanded_nodes if the model is trusted");
  }
  DimExpr fresh() { return DimExpr::variable("?" + std::to_string(fresh_++)); }
  void infer(const opset::Operator& op, const opset::Schema& schema, const std::vector<ir::Attribute>& attrs,
             const std::vector<ValueId>& inputs, const Graph& graph, NodeEngine& engine,
             std::vector<opset::InferContext::Output>& outputs);

  const ir::Model& model_;
  const LowerOptions& options_;
  std::unordered_map<std::string, const ir::Function*> functions_;
  infer::Unifier unifier_;
  std::uint64_t emitted_ = 0, fresh_ = 0, fresh_names_ = 0;
  int depth_ = 0;
};

// What inference of one node may ask for: sizes, equalities, and the lowering of its subgraphs.
class NodeEngine final : public opset::InferContext::Engine {
 public:
  NodeEngine(Lowerer& lowerer, const std::vector<ir::Attribute>& attrs, Scope& scope, const Place& place,
             const std::string& path)
      : lowerer_(lowerer), attrs_(attrs), scope_(scope), place_(place), path_(path) {}

  DimExpr fresh_dim() override { return lowerer_.fresh(); }
  void equal(const DimExpr& a, const DimExpr& b) override { lowerer_.unifier_.equal(a, b); }
  std::vector<ValueType> infer_subgraph(std::string_view attribute, const std::vector<ValueType>& inputs) override {
    for (const Subgraph& done : subgraphs_)
      if (done.attribute == attribute) return output_types(*done.graph);
    for (const ir::Attribute& attr : attrs_)
      if (attr.name == attribute && attr.g) return lower_one(attr, &inputs);
    throw Error(ErrorCode::InvalidGraph, "attribute \"" + std::string(attribute) + "\" has no graph");
  }
  // Subgraphs that inference did not ask for.
  void lower_rest() {
    for (const ir::Attribute& attr : attrs_) {
      if (!attr.g) continue;
      bool done = std::any_of(subgraphs_.begin(), subgraphs_.end(),
                              [&](const Subgraph& s) { return s.attribute == attr.name.get(); });
      if (!done) lower_one(attr, nullptr);
    }
  }
  std::vector<Subgraph>& subgraphs() { return subgraphs_; }

 private:
  static std::vector<ValueType> output_types(const Graph& graph) {
    std::vector<ValueType> types;
    for (ValueId id : graph.outputs) types.push_back(graph.value(id).type);
    return types;
  }
  std::vector<ValueType> lower_one(const ir::Attribute& attr, const std::vector<ValueType>* inputs) {
    Subgraph sub;
    sub.attribute = attr.name;
    sub.graph = std::make_unique<Graph>();
    Scope inner;
    inner.parent = &scope_;
    inner.graph = sub.graph.get();
    Place place = place_;
    place.path = path_ + " / attribute \"" + attr.name.get() + "\" / " + ir::describe_graph(*attr.g);
    if (++lowerer_.depth_ > lowerer_.options_.limits.max_depth)
      throw Error(ErrorCode::LimitExceeded, "graphs are nested too deeply", place.path);
    lowerer_.lower_graph(*attr.g, inner, place, inputs, false);
    --lowerer_.depth_;
    subgraphs_.push_back(std::move(sub));
    return output_types(*subgraphs_.back().graph);
  }
  Lowerer& lowerer_;
  const std::vector<ir::Attribute>& attrs_;
  Scope& scope_;
  const Place& place_;
  const std::string& path_;
  std::vector<Subgraph> subgraphs_;
};

Imports Lowerer::imports_of(const std::vector<ir::OperatorSetId>& entries) const {
  Imports imports;
  for (const ir::OperatorSetId& e : entries) {
    std::int64_t& version = imports[std::string(ir::canonical_domain(e.domain.get()))];
    version = std::max(version, e.version.get());
  }
  if (model_.ir_version.get() < 3 && imports.empty()) imports[""] = 1;
  return imports;
}

const ir::Function* Lowerer::find_function(std::string_view domain, const ir::Node& node) const {
  if (functions_.empty()) return nullptr;
  std::string key = std::string(domain) + '\0' + node.op_type.get() + '\0' + node.overload.get();
  auto it = functions_.find(key);
  return it == functions_.end() ? nullptr : it->second;
}

const ir::Function* Lowerer::find_in_sets(const std::string& domain, const ir::Node& node, const Place& place) const {
  if (options_.operator_sets.empty()) return nullptr;
  auto import = place.imports->find(domain);
  if (import == place.imports->end()) return nullptr;
  const ir::DeclaredOperator found =
      ir::find_declared(options_.operator_sets, domain, node.op_type.get(), node.overload.get(), import->second);
  if (found.body) return found.body;
  const std::string set = "the operator set " + domain_name(domain);
  if (found.declared_in)
    throw Error(ErrorCode::NotImplemented,
                set + " of version " + std::to_string(found.declared_in->opset_version.get()) + " declares \"" +
                    node.op_type.get() + "\" without a body, so there is nothing to run", {},
                "a document can bring a body as a function, a model as a local function");
  std::string versions;
  for (const ir::OperatorSet* s : options_.operator_sets)
    if (ir::canonical_domain(s->domain.get()) == domain)
      versions += (versions.empty() ? "" : ", ") + std::to_string(s->opset_version.get());
  if (versions.empty() || opset::newest_version(domain) > 0) return nullptr;
  throw Error(ErrorCode::NotImplemented,
              set + " has no operator \"" + node.op_type.get() + "\" in version " + std::to_string(import->second) +
                  ", by the documents of version " + versions, {},
              found.known_domain ? "" : "load the document of the version that the model imports");
}

Program Lowerer::run() {
  if (model_.ir_version.get() > 14)
    throw Error(ErrorCode::NotImplemented,
                "the model has IR version " + std::to_string(model_.ir_version.get()) + "; this Norn knows 1 to 14", {},
                "a newer Norn may read it");
  if (!model_.graph) throw Error(ErrorCode::InvalidGraph, "the model has no graph");
  for (const ir::Function& f : model_.functions)
    functions_.emplace(std::string(ir::canonical_domain(f.domain.get())) + '\0' + f.name.get() + '\0' + f.overload.get(),
                       &f);
  Imports imports = imports_of(model_.opset_import);
  for (const auto& [domain, version] : imports) {
    int newest = opset::newest_version(domain);
    if (newest > 0 && version > newest)
      throw Error(ErrorCode::NotImplemented,
                  "the model imports version " + std::to_string(version) + " of the operator set " +
                      domain_name(domain) + "; the newest that this Norn knows is " + std::to_string(newest),
                  "opset_import", "a newer Norn may run it, or export the model for an older operator set");
  }

  Program program;
  program.ir_version = model_.ir_version;
  program.producer = model_.producer_name;
  program.configurations = model_.configuration;
  program.declared_inputs = model_.graph->input;
  program.declared_outputs = model_.graph->output;
  Scope scope;
  scope.graph = &program.main;
  Place place;
  place.path = ir::describe_graph(*model_.graph);
  place.imports = &imports;
  lower_graph(*model_.graph, scope, place, nullptr, true);

  if (!unifier_.empty()) {
    std::function<void(Graph&)> resolve_types = [&](Graph& graph) {
      for (Value& value : graph.values) {
        value.type = unifier_.resolve(value.type);
        if (value.known.ints)
          for (DimExpr& e : *value.known.ints) e = unifier_.resolve(e);
      }
      for (Node& node : graph.nodes)
        for (Subgraph& sub : node.subgraphs) resolve_types(*sub.graph);
    };
    resolve_types(program.main);
  }
  return program;
}

void Lowerer::define(Scope& scope, const std::string& name, ValueId id) const {
  if (!scope.names.emplace(name, id).second)
    throw Error(ErrorCode::InvalidGraph, "the value \"" + name + "\" is defined more than once", {},
                "give each node output a name of its own");
}

// Gives the node a value for each output, with what inference found out about it.
void Lowerer::define_outputs(Node& made, const std::vector<std::string>& names,
                             std::vector<opset::InferContext::Output>& outputs, Scope& scope) const {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].wanted) {
      made.outputs.push_back(kNone);
      continue;
    }
    Value value;
    value.name = names[i];
    value.type = std::move(outputs[i].type);
    value.known = std::move(outputs[i].value);
    const ValueId id = scope.graph->add_value(std::move(value));
    define(scope, names[i], id);
    made.outputs.push_back(id);
  }
}

ValueId Lowerer::resolve(const Scope& scope, const std::string& name) const {
  auto it = scope.names.find(name);
  return it == scope.names.end() ? kNone : it->second;
}

ValueId Lowerer::capture(Scope& scope, const std::string& name) {
  if (ValueId id = resolve(scope, name); id != kNone) return id;
  if (!scope.parent) return kNone;
  ValueId outer = capture(*scope.parent, name);
  if (outer == kNone) return kNone;
  const Value& source = scope.parent->graph->value(outer);
  Value value;
  value.name = name;
  value.type = source.type;
  value.known = source.known;
  if (source.is_constant()) {  // constants need no passing in: they are shared
    value.origin = Origin::Constant;
    value.constant = source.constant;
  } else {
    value.origin = Origin::Capture;
  }
  bool is_capture = value.origin == Origin::Capture;
  ValueId inner = scope.graph->add_value(std::move(value));
  if (is_capture) scope.graph->captures.push_back({outer, inner});
  scope.names.emplace(name, inner);
  return inner;
}

void Lowerer::lower_initializers(const ir::Graph& source, Scope& scope, const Place& place, bool main) {
  auto add = [&](const std::string& name, norn::Tensor contents) {
    Value value;
    value.name = name;
    opset::Dims dims(contents.dims().begin(), contents.dims().end());
    value.type = ValueType::tensor(contents.dtype(), std::move(dims));
    ValueId existing = resolve(scope, name);
    if (existing != kNone) {
      // Also an input: its default. Up to IR 3 every initializer had to be listed as an input and is a constant.
      Value& input = scope.graph->value(existing);
      if (input.origin != Origin::Feed || input.constant.defined())
        throw Error(ErrorCode::InvalidGraph, "the value \"" + name + "\" is defined more than once", place.path);
      input.constant = std::move(contents);
      if (model_.ir_version.get() < 4) {
        input.origin = Origin::Constant;
        input.type = value.type;
        if (input.constant.size() <= infer::kSmall) input.known.constant = input.constant;
        auto& inputs = scope.graph->inputs;
        if (main) inputs.erase(std::remove(inputs.begin(), inputs.end(), existing), inputs.end());
      }
      return;
    }
    value.origin = Origin::Constant;
    if (main && options_.keep_state)
      for (const ir::TrainingInfo& training : model_.training_info)
        for (const ir::StringStringEntry& binding : training.update_binding)
          if (binding.key == name) value.origin = Origin::State;
    if (value.origin == Origin::Constant && contents.size() <= infer::kSmall) value.known.constant = contents;
    value.constant = std::move(contents);
    define(scope, name, scope.graph->add_value(std::move(value)));
  };
  for (const ir::Tensor& t : source.initializer) {
    try {
      add(t.name, ir::to_value(t, options_.external));
    } catch (Error& e) {
      throw e.within(place.path + " / initializer \"" + t.name.get() + "\"");
    }
  }
  for (const ir::SparseTensor& s : source.sparse_initializer) {
    std::string name = s.values ? s.values->name.get() : std::string();
    try {
      add(name, ir::densify(s, options_.external));
    } catch (Error& e) {
      throw e.within(place.path + " / sparse_initializer \"" + name + "\"");
    }
  }
}

void Lowerer::lower_graph(const ir::Graph& source, Scope& scope, const Place& place,
                          const std::vector<ValueType>* given, bool main) {
  Graph& graph = *scope.graph;
  graph.name = source.name;
  for (std::size_t i = 0; i < source.input.size(); ++i) {
    const ir::ValueInfo& info = source.input[i];
    Value value;
    value.name = info.name;
    value.origin = Origin::Feed;
    if (info.type) value.type = opset::from_ir(*info.type, [this] { return fresh(); });
    if (given && i < given->size() && (*given)[i].known()) value.type = (*given)[i];
    if (main && !value.type.known())
      throw Error(ErrorCode::InvalidGraph, "the graph input has no type",
                  place.path + " / input \"" + info.name.get() + "\"");
    try {
      ValueId id = graph.add_value(std::move(value));
      define(scope, info.name, id);
      graph.inputs.push_back(id);
    } catch (Error& e) {
      throw e.within(place.path + " / input \"" + info.name.get() + "\"");
    }
  }
  lower_initializers(source, scope, place, main);
  lower_nodes(source.node, scope, place);
  for (const ir::ValueInfo& info : source.output) {
    ValueId id = capture(scope, info.name);
    if (id == kNone)
      throw Error(ErrorCode::InvalidGraph, "the graph output \"" + info.name.get() + "\" is not computed by any node",
                  place.path + " / output \"" + info.name.get() + "\"");
    if (info.type) {
      ValueType declared = opset::from_ir(*info.type, [this] { return fresh(); });
      Value& value = graph.value(id);
      if (!value.type.known())
        value.type = declared;
      else if (declared.known() && declared.type_string() != value.type.type_string())
        throw Error(ErrorCode::InvalidGraph,
                    "the graph output is declared " + declared.type_string() + ", but its node gives " +
                        value.type.type_string(),
                    place.path + " / output \"" + info.name.get() + "\"");
    }
    graph.outputs.push_back(id);
  }
}

void Lowerer::lower_nodes(const std::vector<ir::Node>& nodes, Scope& scope, const Place& place) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const ir::Node& node = nodes[i];
    std::string path = place.path + " / " + ir::describe_node(node, i);
    try {
      for (std::size_t k = 0; k < node.input.size(); ++k)
        if (!node.input[k].empty() && capture(scope, node.input[k]) == kNone) fail_undefined(nodes, i, k, scope);
      lower_node(node, scope, place, path);
    } catch (Error& e) {
      if (e.where().find(path) == std::string::npos) e.within(path);
      throw;
    }
  }
}

void Lowerer::fail_undefined(const std::vector<ir::Node>& nodes, std::size_t index, std::size_t input,
                             const Scope& scope) const {
  const std::string& name = nodes[index].input[input];
  std::string where = "input " + std::to_string(input) + " \"" + name + "\"";
  std::unordered_map<std::string_view, std::size_t> maker;
  for (std::size_t i = index; i < nodes.size(); ++i)
    for (const std::string& out : nodes[i].output)
      if (!out.empty()) maker.emplace(out, i);
  auto made = maker.find(name);
  if (made == maker.end()) {
    std::string close;
    for (const Scope* s = &scope; s; s = s->parent)
      for (const auto& [known, id] : s->names)
        if (known.size() == name.size() &&
            std::equal(known.begin(), known.end(), name.begin(),
                       [](char a, char b) { return std::tolower(a) == std::tolower(b); }))
          close = known;
    throw Error(ErrorCode::InvalidGraph, "nothing makes the value \"" + name + "\"", where,
                close.empty() ? "it is no graph input, initializer or output of an earlier node"
                              : "did you mean \"" + close + "\"?");
  }
  // From the maker back through its inputs: if this node is reached, the nodes form a cycle.
  std::vector<int> from(nodes.size(), -1);
  std::vector<std::size_t> todo{made->second};
  from[made->second] = static_cast<int>(index);
  while (!todo.empty()) {
    std::size_t at = todo.back();
    todo.pop_back();
    if (at == index) break;
    for (const std::string& in : nodes[at].input) {
      auto m = maker.find(in);
      if (m == maker.end() || from[m->second] >= 0) continue;
      from[m->second] = static_cast<int>(at);
      todo.push_back(m->second);
    }
  }
  if (from[index] >= 0) {
    std::string cycle = ir::describe_node(nodes[index], index);
    std::size_t at = index;
    for (std::size_t guard = 0; guard <= nodes.size(); ++guard) {
      at = static_cast<std::size_t>(from[at]);
      cycle += " -> " + ir::describe_node(nodes[at], at);
      if (at == index) break;
    }
    throw Error(ErrorCode::InvalidGraph, "the nodes form a cycle: " + cycle, where,
                "a graph's nodes must be listed so that each uses only values made before it");
  }
  throw Error(ErrorCode::InvalidGraph,
              "the value \"" + name + "\" is used before it is made: " + ir::describe_node(nodes[made->second], made->second) +
                  " makes it",
              where, "list nodes so that each uses only values made before it");
}

std::vector<ir::Attribute> Lowerer::resolve_attributes(const ir::Node& node, const Call* call) const {
  std::vector<ir::Attribute> attrs;
  attrs.reserve(node.attribute.size());
  for (const ir::Attribute& attr : node.attribute) {
    if (!attr.ref_attr_name.has() || attr.ref_attr_name.get().empty()) {
      attrs.push_back(attr);
      // Kernels and inference see attributes' bytes only: tensors kept in files are brought in here.
      ir::Attribute& own = attrs.back();
      if (own.t && own.t->data_location == ir::kDataLocationExternal)
        own.t = ir::from_value(ir::to_value(*own.t, options_.external), own.t->name);
      continue;
    }
    if (!call)
      throw Error(ErrorCode::InvalidGraph,
                  "attribute \"" + attr.name.get() + "\" refers to a function's attribute, outside of a function");
    auto value = call->attributes.find(attr.ref_attr_name);
    if (value == call->attributes.end()) continue;  // left out at the call: the operator's own default applies
    attrs.push_back(*value->second);
    attrs.back().name = attr.name;
  }
  return attrs;
}

void Lowerer::check_attributes(const std::vector<ir::Attribute>& attrs, const opset::Operator& op,
                               const opset::Schema& schema) const {
  for (const ir::Attribute& attr : attrs) {
    const std::string where = "attribute \"" + attr.name.get() + "\"";
    const opset::Attr* row = opset::find_attr(schema, attr.name.get());
    if (!row) {
      std::string names;
      for (const opset::Attr& a : schema.attrs) names += (names.empty() ? "" : ", ") + std::string(a.name);
      std::string hint = names.empty() ? "it has none" : "it has " + names;
      for (const opset::Schema& other : op.history) {
        if (opset::find_attr(other, attr.name.get()))
          hint += "; version " + std::to_string(other.since) + " has \"" + attr.name.get() + "\"";
        for (const opset::Param& p : other.inputs)
          if (p.name == attr.name.get() && other.since <= schema.since) {
            hint += "; since opset " + std::to_string(other.since) + " \"" + attr.name.get() + "\" is an input";
            break;
          }
      }
      throw Error(ErrorCode::InvalidGraph,
                  opset::full_name(op) + " version " + std::to_string(schema.since) + " has no attribute \"" +
                      attr.name.get() + "\"",
                  where, hint);
    }
    if (attr.kind() != row->type)
      throw Error(ErrorCode::InvalidGraph,
                  "attribute \"" + attr.name.get() + "\" is " + attribute_type_name(attr.kind()) + ", but " +
                      opset::full_name(op) + " version " + std::to_string(schema.since) + " wants " +
                      attribute_type_name(row->type),
                  where);
  }
  for (const opset::Attr& row : schema.attrs)
    // consumed_inputs was an in-place hint of opset 1 that writers often left out even where it was required.
    if (row.required && row.name != "consumed_inputs" &&
        std::none_of(attrs.begin(), attrs.end(), [&](const ir::Attribute& a) { return a.name.get() == row.name; }))
      throw Error(ErrorCode::InvalidGraph,
                  "the required attribute \"" + std::string(row.name) + "\" (" + attribute_type_name(row.type) +
                      ") is missing");
}

void Lowerer::infer(const opset::Operator& op, const opset::Schema& schema, const std::vector<ir::Attribute>& attrs,
                    const std::vector<ValueId>& inputs, const Graph& graph, NodeEngine& engine,
                    std::vector<opset::InferContext::Output>& outputs) {
  std::vector<opset::InferContext::Input> in(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i] != kNone) in[i] = {&graph.value(inputs[i]).type, &graph.value(inputs[i]).known};
  infer::infer_node(op, opset::Attrs(schema, attrs), in, outputs, engine, opset::evaluate);
}

// True if lifting from `schema` to the newest version changes nothing in the node.
bool only_widened_since(const opset::Operator& op, const opset::Schema& schema, const opset::Schema** newest) {
  *newest = &schema;
  for (const opset::Schema& row : op.history) {
    if (row.since <= schema.since) continue;
    if (row.deprecated) return true;
    if (!row.only_types_widened) return false;
    *newest = &row;
  }
  return true;
}

void Lowerer::lower_node(const ir::Node& node, Scope& scope, const Place& place, const std::string& path) {
  std::string domain(ir::canonical_domain(node.domain.get()));
  if (const ir::Function* function = find_function(domain, node)) {
    inline_call(node, *function, scope, place, path);
    return;
  }
  const opset::Operator* op = opset::find_operator(domain, node.op_type.get());
  if (!op || !opset::is_runnable(*op)) {
    if (const ir::Function* function = find_in_sets(domain, node, place)) {
      inline_call(node, *function, scope, place, path);
      return;
    }
  }
  count_node();
  if (!op) {
    std::string hint;
    for (std::string_view name : opset::similar_names(domain, node.op_type.get()))
      hint += (hint.empty() ? "did you mean " : ", ") + std::string(name);
    if (!hint.empty()) hint += "?";
    if (domain.empty() && opset::is_removed_experimental(node.op_type.get()))
      hint = "it was experimental in the first operator set and was withdrawn; export the model anew";
    if (hint.empty() && opset::newest_version(domain) == 0)
      hint = "the domain is not one of ONNX's; the model would have to bring the operator as a local function";
    throw Error(ErrorCode::NotImplemented,
                "there is no operator \"" + node.op_type.get() + "\" in " + domain_name(domain), {}, hint);
  }
  auto import = place.imports->find(domain);
  if (import == place.imports->end())
    throw Error(ErrorCode::InvalidGraph, "the operator set " + domain_name(domain) + " is not imported", {},
                "add it to opset_import");
  const opset::Schema* schema =
      opset::schema_at(*op, static_cast<int>(std::min<std::int64_t>(import->second, opset::kUnbounded)));
  if (!schema)
    throw Error(ErrorCode::InvalidGraph,
                opset::full_name(*op) + " exists since version " + std::to_string(op->history.front().since) +
                    " of its operator set; the model imports version " + std::to_string(import->second));
  if (schema->deprecated)
    throw Error(ErrorCode::InvalidGraph,
                opset::full_name(*op) + " is deprecated since version " + std::to_string(schema->since) +
                    "; the model imports version " + std::to_string(import->second));

  if (!opset::is_runnable(*op))
    throw Error(ErrorCode::NotImplemented,
                "this Norn knows " + opset::full_name(*op) + " by its signature only and cannot run it yet", {},
                "a newer Norn may run it; or let the model bring a local function that computes it");

  Graph& graph = *scope.graph;
  transform::BoundNode bound{node, op, schema};
  bound.node.attribute = resolve_attributes(node, place.call);
  check_attributes(bound.node.attribute, *op, *schema);
  NodeEngine engine(*this, bound.node.attribute, scope, place, path);

  const opset::Schema* newest = nullptr;
  if (only_widened_since(*op, *schema, &newest)) {
    bound.schema = newest;
    // Types are checked against the version that the model imports.
    std::vector<ValueId> inputs;
    for (const std::string& name : node.input) inputs.push_back(name.empty() ? kNone : capture(scope, name));
    std::vector<opset::InferContext::Output> outputs(node.output.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i].wanted = !node.output[i].empty();
    infer(*op, *schema, bound.node.attribute, inputs, graph, engine, outputs);
    Node made;
    made.op = op;
    made.schema = newest;
    made.name = node.name;
    made.attrs = std::move(bound.node.attribute);
    engine.lower_rest();
    made.inputs = std::move(inputs);
    define_outputs(made, node.output, outputs, scope);
    made.subgraphs = std::move(engine.subgraphs());
    made.attrs.erase(std::remove_if(made.attrs.begin(), made.attrs.end(),
                                    [](const ir::Attribute& a) { return a.g.has(); }),
                     made.attrs.end());
    made.paths = {path};
    made.device_configurations = node.device_configurations;
    made.metadata = node.metadata_props;
    graph.nodes.push_back(std::move(made));
    return;
  }

  // Infer at the declared version (the steps ask for ranks), then lift.
  std::vector<ValueId> inputs;
  for (const std::string& name : node.input) inputs.push_back(name.empty() ? kNone : capture(scope, name));
  std::vector<opset::InferContext::Output> outputs(node.output.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i].wanted = !node.output[i].empty();
  infer(*op, *schema, bound.node.attribute, inputs, graph, engine, outputs);
  std::unordered_map<std::string, ValueType> own_types;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].wanted) own_types[node.output[i]] = outputs[i].type;

  transform::NodeContext context;
  context.type_of = [&](const std::string& name) -> const ValueType* {
    if (auto own = own_types.find(name); own != own_types.end()) return &own->second;
    ValueId id = resolve(scope, name);
    return id == kNone ? nullptr : &graph.value(id).type;
  };
  context.constant_of = [&](const std::string& name) -> const norn::Tensor* {
    ValueId id = resolve(scope, name);
    if (id == kNone) return nullptr;
    const Value& value = graph.value(id);
    if (value.is_constant()) return &value.constant;
    return value.known.constant.defined() ? &value.known.constant : nullptr;
  };
  context.fresh_name = [&](const std::string& hint) {
    return hint + "__" + std::to_string(fresh_names_++);
  };
  transform::Lifted lifted = transform::move_version(bound, opset::newest_version(domain), context);
  for (auto& [name, tensor] : lifted.constants) {
    Value value;
    value.name = name;
    value.origin = Origin::Constant;
    value.type = ValueType::tensor(tensor.dtype(), opset::Dims(tensor.dims().begin(), tensor.dims().end()));
    if (tensor.size() <= infer::kSmall) value.known.constant = tensor;
    value.constant = std::move(tensor);
    define(scope, name, graph.add_value(std::move(value)));
  }
  engine.lower_rest();
  for (const transform::BoundNode& part : lifted.nodes) {
    count_node();
    emit(part, scope, path, engine);
  }
}

void Lowerer::emit(const transform::BoundNode& bound, Scope& scope, const std::string& path, NodeEngine& engine) {
  Graph& graph = *scope.graph;
  Node made;
  made.op = bound.op;
  made.schema = bound.schema;
  made.name = bound.node.name;
  made.attrs = bound.node.attribute;
  for (const std::string& name : bound.node.input)
    made.inputs.push_back(name.empty() ? kNone : capture(scope, name));
  std::vector<opset::InferContext::Output> outputs(bound.node.output.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i].wanted = !bound.node.output[i].empty();
  infer(*made.op, *made.schema, made.attrs, made.inputs, graph, engine, outputs);
  define_outputs(made, bound.node.output, outputs, scope);
  bool has_graph = std::any_of(made.attrs.begin(), made.attrs.end(), [](const ir::Attribute& a) { return a.g.has(); });
  if (has_graph) {
    made.subgraphs = std::move(engine.subgraphs());
    made.attrs.erase(std::remove_if(made.attrs.begin(), made.attrs.end(),
                                    [](const ir::Attribute& a) { return a.g.has(); }),
                     made.attrs.end());
  }
  made.paths = {path};
  made.device_configurations = bound.node.device_configurations;
  made.metadata = bound.node.metadata_props;
  graph.nodes.push_back(std::move(made));
}

void Lowerer::inline_call(const ir::Node& node, const ir::Function& function, Scope& scope, const Place& place,
                          const std::string& path) {
  Call call;
  call.parent = place.call;
  call.function = &function;
  for (const Call* c = place.call; c; c = c->parent) {
    ++call.depth;
    if (c->function == &function)
      throw Error(ErrorCode::InvalidGraph, "the function \"" + function.name.get() + "\" calls itself", {},
                  "functions of a model must not be recursive");
  }
  if (call.depth > kMaxCallDepth)
    throw Error(ErrorCode::LimitExceeded, "functions call each other more than " + std::to_string(kMaxCallDepth) + " deep");
  if (node.input.size() > function.input.size() || node.output.size() > function.output.size())
    throw Error(ErrorCode::InvalidGraph,
                "the call has " + std::to_string(node.input.size()) + " inputs and " + std::to_string(node.output.size()) +
                    " outputs, the function \"" + function.name.get() + "\" has " +
                    std::to_string(function.input.size()) + " and " + std::to_string(function.output.size()));
  std::vector<ir::Attribute> given = resolve_attributes(node, place.call);
  for (const ir::Attribute& attr : function.attribute_proto) call.attributes[attr.name] = &attr;
  for (const ir::Attribute& attr : given) call.attributes[attr.name] = &attr;

  Scope body;
  body.graph = scope.graph;
  for (std::size_t i = 0; i < node.input.size(); ++i)
    if (!node.input[i].empty()) body.names.emplace(function.input[i], capture(scope, node.input[i]));
  // A formal parameter that the call leaves out is an omitted input wherever the body uses it.
  std::vector<ir::Node> nodes = function.node;
  for (ir::Node& inner : nodes)
    for (std::string& name : inner.input)
      for (std::size_t i = 0; i < function.input.size(); ++i)
        if (name == function.input[i] && !body.names.contains(name)) name.clear();

  Imports imports = imports_of(function.opset_import);
  if (function.opset_import.empty()) imports = *place.imports;
  Place inside;
  inside.path = path;
  inside.imports = &imports;
  inside.call = &call;
  std::size_t first_value = scope.graph->values.size();
  lower_nodes(nodes, body, inside);
  // Body values are named after the call, so that two calls of a function do not share names.
  std::string prefix = node.name.get().empty() ? function.name.get() + "_" + std::to_string(fresh_names_++) : node.name.get();
  for (std::size_t i = first_value; i < scope.graph->values.size(); ++i) {
    std::string& name = scope.graph->values[i].name;
    name = prefix + "/" + name;
  }
  for (std::size_t i = 0; i < node.output.size(); ++i) {
    if (node.output[i].empty()) continue;
    ValueId id = resolve(body, function.output[i]);
    if (id == kNone)
      throw Error(ErrorCode::InvalidGraph, "the function's output \"" + function.output[i] + "\" is not computed");
    define(scope, node.output[i], id);
    Value& value = scope.graph->value(id);
    if (id >= first_value) value.name = node.output[i];
  }
}

}  // namespace

Program lower(const ir::Model& model, const LowerOptions& options) { return Lowerer(model, options).run(); }

}  // namespace norn::program
