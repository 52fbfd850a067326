// The checks of the rules, by area, each in the file of its name, and the one walk (checker.cc) that calls them.
//
// The walk visits every message once, outermost first, and calls the areas at its level. Types, shapes and denotations
// nest: types.cc goes into element types itself and calls check_shape and the denotation functions. The caller passes
// the place of the message that is checked, not of the one around it. The namespace is not the folder's name, since
// norn::check is a function.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "check/context.h"
#include "ir/model.h"

namespace norn::format {
struct SequenceData;
struct MapData;
struct OptionalData;
}  // namespace norn::format

namespace norn::infer {
struct DocumentOptions;
}  // namespace norn::infer

namespace norn::checks {

// The walk (checker.cc).
enum class GraphRole : std::uint8_t {
  Main,
  Nested,          // in an attribute
  Initialization,  // of training
  Algorithm,       // of training; sees the main graph
  Part,            // on its own
};
void check_model(Context& ctx, const Place& place, const ir::Model& model);
// `owner` is the node of a nested graph.
void check_graph(Context& ctx, const Place& place, const ir::Graph& graph, GraphRole role,
                 const ir::Node* owner = nullptr);
// `values` are the numbers of its inputs and then its outputs (NodeValues).
void check_node(Context& ctx, const Place& place, const ir::Node& node, std::size_t index,
                std::span<const Scopes::Name> values);
// `owner` is the node that carries it; null for a function's default.
void check_attribute(Context& ctx, const Place& place, const ir::Attribute& attribute, const ir::Node* owner);
void check_function(Context& ctx, const Place& place, const ir::Function& function);

// Values (types.cc, shapes.cc, denotations.cc, value_info.cc).
enum class ValueUse : std::uint8_t {
  MainInput,
  MainOutput,
  NestedInput,  // of graphs in attributes and of training graphs
  NestedOutput,
  Info,          // value_info of a graph
  FunctionInfo,  // value_info of a function
  Attribute,     // a type in an attribute
  Part,          // on its own
};
// Calls check_type, note_image, and check_metadata for its properties.
void check_value_info(Context& ctx, const Place& place, const ir::ValueInfo& info, ValueUse use);
void check_type(Context& ctx, const Place& place, const ir::Type& type, ValueUse use);
void check_shape(Context& ctx, const Place& place, const ir::TensorShape& shape, ValueUse use);
void check_dimension_denotation(Context& ctx, const Place& place, const ir::Dimension& dim);
void check_type_denotation(Context& ctx, const Place& place, const ir::Type& type);

// Tensors (tensors.cc, external_data.cc, sparse.cc).
enum class TensorUse : std::uint8_t { Initializer, Attribute, SparseValues, SparseIndices, Data, Part };
// Calls check_external_data where the tensor has any of its fields, and check_metadata.
void check_tensor(Context& ctx, const Place& place, const ir::Tensor& tensor, TensorUse use);
void check_external_data(Context& ctx, const Place& place, const ir::Tensor& tensor);
enum class SparseUse : std::uint8_t { Initializer, Attribute, Data, Part };
// Calls check_tensor for its parts, and outside of data files check_tensor_versions.
void check_sparse_tensor(Context& ctx, const Place& place, const ir::SparseTensor& tensor, SparseUse use);

// Types and shapes of the whole model (inference.cc).
void check_inference(Context& ctx, const ir::Model& model, const infer::DocumentOptions& options);

// What goes with a graph or model (quantization.cc, training.cc, devices.cc, metadata.cc).
// While the graph's scope is open, after its nodes: ctx.scopes() knows all its values.
void check_quantization(Context& ctx, const Place& place, const ir::Graph& graph);
// Whether a name that is not visible at this point of the main graph is defined by an algorithm.
bool defined_by_algorithm(Context& ctx, std::string_view name);
// Bindings and the joining of graphs; the walk checks the graphs themselves.
void check_training(Context& ctx, const Place& place, const ir::Model& model);
void check_device_configurations(Context& ctx, const Place& place, const ir::Model& model);
// Only called if the node has any.
void check_node_devices(Context& ctx, const Place& place, const ir::Node& node);
void check_model_metadata(Context& ctx, const Place& place, const ir::Model& model);
// That the metadata describes the images among the values. After the walk, which has noted them.
void note_image(Context& ctx, const ir::ValueInfo& info);
void check_image_keys(Context& ctx, const Place& place, const ir::Model& model);
// Of anything but the model; only called if there are entries.
void check_metadata(Context& ctx, const Place& place, const ir::Metadata& entries);

// Data files (data_files.cc).
void check_sequence_data(Context& ctx, const Place& place, const format::SequenceData& data);
void check_map_data(Context& ctx, const Place& place, const format::MapData& data);
void check_optional_data(Context& ctx, const Place& place, const format::OptionalData& data);

// The document's frame (model.cc, versions.cc, opset_imports.cc, functions.cc).
void check_model_fields(Context& ctx, const Place& place, const ir::Model& model);
// After the walk, which has counted the bytes of tensors.
void check_model_size(Context& ctx, const Place& place);
// IR version gates, by the level at which their fields stand. Cheap enough for every message.
void check_model_versions(Context& ctx, const Place& place, const ir::Model& model);
void check_graph_versions(Context& ctx, const Place& place, const ir::Graph& graph);
void check_function_versions(Context& ctx, const Place& place, const ir::Function& function);
void check_node_versions(Context& ctx, const Place& place, const ir::Node& node);
void check_attribute_versions(Context& ctx, const Place& place, const ir::Attribute& attribute);
void check_value_versions(Context& ctx, const Place& place, const ir::ValueInfo& info);
void check_type_versions(Context& ctx, const Place& place, const ir::Type& type);
void check_tensor_versions(Context& ctx, const Place& place, const ir::Tensor& tensor);
void check_opset_imports(Context& ctx, const Place& place, const ir::Model& model);
// An entry of a model's opset_import or of a function's.
void check_opset_version(Context& ctx, const Place& place, const ir::OperatorSetId& id);
// Ids, cycles and size of all functions together.
void check_function_table(Context& ctx, const Place& place, const ir::Model& model);
// That no function among these leads back to itself; for functions that do not belong to a model.
void check_function_cycles(Context& ctx, const Place& place, std::span<const ir::Function> functions);
// Signature, imports and value_info of one function; after its body, while the scope is open.
void check_function_fields(Context& ctx, const Place& place, const ir::Function& function);
// What a function declares of an attribute's name; a table of each function is kept for the whole check.
struct FormalAttribute {
  bool declared = false;
  const ir::Attribute* preset = nullptr;  // its default, if it has one
};
FormalAttribute formal_attribute(Context& ctx, const ir::Function& function, std::string_view name);
void check_call(Context& ctx, const Place& place, const ir::Node& node, const ir::Function& callee);

// Graphs and nodes (graphs.cc, names.cc, initializers.cc, operators.cc, nodes.cc, attributes.cc, doc_strings.cc).
// Before the nodes: name, inputs, outputs.
void check_graph_fields(Context& ctx, const Place& place, const ir::Graph& graph, GraphRole role,
                        const ir::Node* owner);
// That no other graph of the document has its name.
void check_graph_name(Context& ctx, const Place& place, const ir::Graph& graph);
// How many names are not C identifiers; reported once for all that were looked at.
class NameForms {
 public:
  void look(std::string_view name);
  // What a node names: its outputs, its attributes and itself.
  void look(const ir::Node& node);
  void report(Context& ctx, const Place& place) const;

 private:
  std::size_t names_ = 0, odd_ = 0;
  std::string_view example_;
};
// The form of the names that a function gives.
void check_function_names(Context& ctx, const Place& place, const ir::Function& function);
// The form of the names that a graph gives, and those that its nodes share. gather() looks at nothing but the graph and
// may run beside the walk; reported on after both.
class GraphNames {
 public:
  explicit GraphNames(const ir::Graph& graph) : graph_(graph) {}
  void gather();
  void report(Context& ctx, const Place& place) const;

 private:
  const ir::Graph& graph_;
  std::vector<std::size_t> repeated_;  // nodes whose names earlier ones have
  NameForms forms_;
};
// In order; `parts` lists those that are segments of larger tensors.
struct Initializers {
  std::vector<std::string_view> names;
  std::vector<std::size_t> parts;
};
// Initializers with their tensors.
Initializers check_initializers(Context& ctx, const Place& place, const ir::Graph& graph, GraphRole role,
                                const ir::Node* owner);
// Defines inputs and initializers in the scope just entered, with the rules about them.
void define_formals(Context& ctx, const Place& place, const ir::Graph& graph, GraphRole role,
                    const Initializers& initializers);
// The numbers of the values that a list of nodes reads and writes, looked up some nodes ahead of their use.
class NodeValues {
 public:
  NodeValues(Context& ctx, const std::vector<ir::Node>& nodes);
  // Inputs, then outputs, until the next call; nodes are asked for once each, in turn.
  std::span<const Scopes::Name> of(std::size_t i);

 private:
  void prepare();

  Scopes& scopes_;
  const std::vector<ir::Node>& nodes_;
  std::vector<std::string_view> texts_;  // of the nodes from known_ to prepared_
  std::vector<base::TextKey> keys_;
  std::vector<Scopes::Name> numbers_;  // of the nodes before known_, as many as were looked up together
  std::size_t known_ = 0, prepared_ = 0, next_ = 0;
};
// Inputs are visible; outputs become so.
void check_node_values(Context& ctx, const Place& place, const ir::Node& node, std::size_t index,
                       std::span<const Scopes::Name> values);
// After the nodes, before the scope closes.
void check_graph_values(Context& ctx, const Place& place, const ir::Graph& graph, GraphRole role);
// An initializer against the input that it is the default of.
void check_default(Context& ctx, const Place& place, const ir::Field<std::int32_t>& elem_type,
                   std::span<const std::int64_t> shape, const ir::ValueInfo& input);
// No HTML; of any message that has a doc_string.
void check_doc_string(Context& ctx, const Place& place, const std::string& text);
// `did you mean "x"?` for a value name that is not defined here; "" if nothing is near.
std::string did_you_mean(Context& ctx, std::string_view name);
void check_operator(Context& ctx, const Place& place, const ir::Node& node, const BoundOperator& bound);
// What the node reads against what is declared of it: operator_inputs.cc.
void check_operator_inputs(Context& ctx, const Place& place, const ir::Node& node, const BoundOperator& bound);
// gradients.cc
void check_gradient(Context& ctx, const Place& place, const ir::Node& node, const BoundOperator& bound);
// The node against its operator's signature.
void check_signature(Context& ctx, const Place& place, const ir::Node& node, const BoundOperator& bound);
void check_attribute_fields(Context& ctx, const Place& place, const ir::Attribute& attribute, const ir::Node* owner);

}  // namespace norn::checks
