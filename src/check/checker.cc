// The walk over a document: every message once, outermost first, and the calls of all areas at their levels.
//
// The order within a graph is that of visibility: inputs and initializers are defined before the first node, a node's
// outputs after its subgraphs. Training graphs are walked inside the main graph's scope, since an algorithm reads its
// values; function bodies see nothing of the model.
#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "check/rule_checks.h"

namespace norn::checks {
namespace {

class InGraph {
 public:
  InGraph(Context& ctx, const ir::Graph* graph, bool closed) : ctx_(ctx) {
    ctx.enter_graph(graph);
    ctx.scopes().enter(closed);
  }
  ~InGraph() {
    ctx_.scopes().leave();
    ctx_.leave_graph();
  }
  InGraph(const InGraph&) = delete;
  InGraph& operator=(const InGraph&) = delete;

 private:
  Context& ctx_;
};

class InFunction {
 public:
  InFunction(Context& ctx, const ir::Function& function, const Imports& imports)
      : ctx_(ctx), before_(ctx.enter_function(&function)), imports_(ctx.operators().use(imports)) {}
  ~InFunction() {
    ctx_.operators().use(*imports_);
    ctx_.enter_function(before_);
  }
  InFunction(const InFunction&) = delete;
  InFunction& operator=(const InFunction&) = delete;

 private:
  Context& ctx_;
  const ir::Function* before_;
  const Imports* imports_;
};

void check_values(Context& ctx, const Place& place, const char* kind, const std::vector<ir::ValueInfo>& values,
                  ValueUse use) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Place at = place.value(kind, i, values[i]);
    check_value_info(ctx, at, values[i], use);
    check_value_versions(ctx, at, values[i]);
  }
}

void check_training_graphs(Context& ctx, const Place& place, const ir::Model& model) {
  for (std::size_t i = 0; i < model.training_info.size(); ++i) {
    const ir::TrainingInfo& info = model.training_info[i];
    const Place entry = place.at("training_info", static_cast<std::int64_t>(i));
    const auto graph = [&](const char* field, const ir::Box<ir::Graph>& g, GraphRole role) {
      if (g) check_graph(ctx, entry.at(field, -1, g->name.get()), *g, role);
    };
    graph("initialization", info.initialization, GraphRole::Initialization);
    graph("algorithm", info.algorithm, GraphRole::Algorithm);
  }
}

std::size_t expected_names(const ir::Model& model) {
  std::size_t names = 0;
  if (model.graph) {
    names = model.graph->input.size() + model.graph->initializer.size() + model.graph->node.size() * 5 / 4;
  }
  return std::min<std::size_t>(names, 1u << 22);
}

void walk_graph(Context& ctx, const Place& place, const ir::Graph& graph, GraphRole role, const ir::Node* owner) {
  const bool main = role == GraphRole::Main;
  check_values(ctx, place, "input", graph.input, main ? ValueUse::MainInput : ValueUse::NestedInput);
  check_values(ctx, place, "output", graph.output, main ? ValueUse::MainOutput : ValueUse::NestedOutput);
  check_values(ctx, place, "value_info", graph.value_info, ValueUse::Info);
  if (!graph.metadata_props.empty()) check_metadata(ctx, place, graph.metadata_props);

  const auto initializers = check_initializers(ctx, place, graph, role, owner);
  for (std::size_t i = 0; i < graph.sparse_initializer.size(); ++i) {
    const ir::SparseTensor& sparse = graph.sparse_initializer[i];
    const Place at = place.at("sparse_initializer", static_cast<std::int64_t>(i),
                              sparse.values ? std::string_view(sparse.values->name.get()) : std::string_view{});
    check_sparse_tensor(ctx, at, sparse, SparseUse::Initializer);
    if (sparse.values) ctx.add_stored(*sparse.values);
  }

  define_formals(ctx, place, graph, role, initializers);
  NodeValues values(ctx, graph.node);
  for (std::size_t i = 0; i < graph.node.size(); ++i) {
    check_node(ctx, place.node(graph.node[i], i), graph.node[i], i, values.of(i));
  }
}

}  // namespace

void check_model(Context& ctx, const Place& place, const ir::Model& model) {
  ctx.set_model(model);
  ctx.scopes().reserve(expected_names(model));
  for (const ir::Function& function : model.functions) ctx.operators().add_function(function);
  ctx.operators().use(ctx.model_imports());

  check_model_fields(ctx, place, model);
  check_model_versions(ctx, place, model);
  check_opset_imports(ctx, place, model);
  check_model_metadata(ctx, place, model);
  check_device_configurations(ctx, place, model);
  check_function_table(ctx, place, model);
  if (model.graph) check_graph(ctx, place.graph(*model.graph), *model.graph, GraphRole::Main);
  check_training(ctx, place, model);
  for (std::size_t i = 0; i < model.functions.size(); ++i) {
    const ir::Function& function = model.functions[i];
    check_function(ctx, place.at("function", static_cast<std::int64_t>(i), function.name.get()), function);
  }
  check_image_keys(ctx, place, model);
  check_model_size(ctx, place);
}

void check_graph(Context& ctx, const Place& place, const ir::Graph& graph, GraphRole role, const ir::Node* owner) {
  const Deeper deeper(ctx, place);
  ctx.spend_nodes(graph.node.size(), place);
  const InGraph in_graph(ctx, &graph, role == GraphRole::Main || role == GraphRole::Initialization);
  const bool main = role == GraphRole::Main;

  check_graph_versions(ctx, place, graph);
  check_graph_fields(ctx, place, graph, role, owner);
  check_graph_name(ctx, place, graph);
  GraphNames names(graph);
  const auto walk = [&] { walk_graph(ctx, place, graph, role, owner); };
  // Below this, waking another thread takes longer than the names do.
  constexpr std::size_t kMany = 4096;
  if (graph.node.size() + graph.initializer.size() < kMany) {
    walk();
    names.gather();
  } else {
    base::run_both(walk, [&] { names.gather(); });
  }
  names.report(ctx, place);
  check_graph_values(ctx, place, graph, role);
  if (!graph.quantization_annotation.empty()) check_quantization(ctx, place, graph);
  if (main && ctx.model()) {
    const Place* outer = place.outer;
    check_training_graphs(ctx, outer ? *outer : place, *ctx.model());
  }
}

void check_node(Context& ctx, const Place& place, const ir::Node& node, std::size_t index,
                std::span<const Scopes::Name> values) {
  const BoundOperator& bound = ctx.operators().bind(node);
  check_node_versions(ctx, place, node);
  check_operator(ctx, place, node, bound);
  check_signature(ctx, place, node, bound);
  check_operator_inputs(ctx, place, node, bound);
  check_gradient(ctx, place, node, bound);
  check_doc_string(ctx, place, node.doc_string.get());
  if (bound.function && bound.binding == Binding::Function) check_call(ctx, place, node, *bound.function);
  for (const ir::Attribute& attribute : node.attribute) {
    check_attribute(ctx, place.attribute(attribute), attribute, &node);
  }
  check_node_values(ctx, place, node, index, values);
  if (!node.device_configurations.empty()) check_node_devices(ctx, place, node);
  if (!node.metadata_props.empty()) check_metadata(ctx, place, node.metadata_props);
}

void check_attribute(Context& ctx, const Place& place, const ir::Attribute& attribute, const ir::Node* owner) {
  check_attribute_versions(ctx, place, attribute);
  check_attribute_fields(ctx, place, attribute, owner);
  const auto tensor = [&](const Place& at, const ir::Tensor& t) {
    check_tensor(ctx, at, t, TensorUse::Attribute);
    check_tensor_versions(ctx, at, t);
    ctx.add_stored(t);
  };
  const auto sparse = [&](const Place& at, const ir::SparseTensor& t) {
    check_sparse_tensor(ctx, at, t, SparseUse::Attribute);
  };
  const auto type = [&](const Place& at, const ir::Type& t) {
    check_type(ctx, at, t, ValueUse::Attribute);
    check_type_versions(ctx, at, t);
  };
  const auto nested = [&](const Place& at, const ir::Graph& g) { check_graph(ctx, at, g, GraphRole::Nested, owner); };
  if (attribute.t) tensor(place.of_tensor("tensor", -1, *attribute.t), *attribute.t);
  if (attribute.sparse_tensor) sparse(place, *attribute.sparse_tensor);
  if (attribute.tp) type(place, *attribute.tp);
  if (attribute.g) nested(place.graph(*attribute.g), *attribute.g);
  for (std::size_t i = 0; i < attribute.tensors.size(); ++i) {
    tensor(place.of_tensor("tensor", static_cast<std::int64_t>(i), attribute.tensors[i]), attribute.tensors[i]);
  }
  for (std::size_t i = 0; i < attribute.sparse_tensors.size(); ++i) {
    sparse(place.at("sparse_tensor", static_cast<std::int64_t>(i)), attribute.sparse_tensors[i]);
  }
  for (std::size_t i = 0; i < attribute.type_protos.size(); ++i) {
    type(place.at("type", static_cast<std::int64_t>(i)), attribute.type_protos[i]);
  }
  for (std::size_t i = 0; i < attribute.graphs.size(); ++i) {
    nested(place.graph(attribute.graphs[i], static_cast<std::int64_t>(i)), attribute.graphs[i]);
  }
}

void check_function(Context& ctx, const Place& place, const ir::Function& function) {
  ctx.spend_nodes(function.node.size(), place);
  const InFunction in_function(ctx, function, ctx.operators().keep(Imports(function.opset_import)));
  const InGraph in_graph(ctx, nullptr, true);
  check_function_versions(ctx, place, function);
  check_values(ctx, place, "value_info", function.value_info, ValueUse::FunctionInfo);
  if (!function.metadata_props.empty()) check_metadata(ctx, place, function.metadata_props);
  for (const std::string& name : function.input) {
    if (!name.empty()) ctx.scopes().define(ctx.scopes().intern(name), {.as = Defined::Input});
  }
  NodeValues values(ctx, function.node);
  for (std::size_t i = 0; i < function.node.size(); ++i) {
    check_node(ctx, place.node(function.node[i], i), function.node[i], i, values.of(i));
  }
  // A graph that is a default is read where a node of the body refers to it, and sees what the body has there.
  for (const ir::Attribute& attribute : function.attribute_proto) {
    check_attribute(ctx, place.attribute(attribute), attribute, nullptr);
  }
  check_function_names(ctx, place, function);
  check_function_fields(ctx, place, function);
}

}  // namespace norn::checks
