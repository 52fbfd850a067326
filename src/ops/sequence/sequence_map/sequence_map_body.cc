// A Loop over the elements, whose results are gathered in sequences. The node's graph becomes the Loop's body, between
// what takes the elements out and what puts the results in; its nodes keep their names, so what is added has others.
#include <algorithm>

#include "ops/sequence/sequence_map/sequence_map.h"
#include "opset/function_body.h"

namespace norn::ops {
inline namespace sequence_map_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;
using opset::ValueType;

bool uses(const ir::Graph& graph, const std::string& prefix) {
  const auto begins = [&](const std::string& name) { return name.starts_with(prefix); };
  const auto is_used = [&](const auto& values) {
    return std::any_of(values.begin(), values.end(), [&](const auto& v) { return begins(v.name.get()); });
  };
  if (is_used(graph.input) || is_used(graph.output) || is_used(graph.initializer)) return true;
  for (const ir::Node& node : graph.node) {
    if (std::any_of(node.input.begin(), node.input.end(), begins)) return true;
    if (std::any_of(node.output.begin(), node.output.end(), begins)) return true;
    for (const ir::Attribute& attr : node.attribute)
      if (attr.g.has() && uses(*attr.g, prefix)) return true;
  }
  return false;
}

ir::Node make_node(const char* op, std::vector<std::string> inputs, std::vector<std::string> outputs) {
  ir::Node node;
  node.op_type = std::string(op);
  for (std::string& name : inputs) node.input.push_back(std::move(name));
  for (std::string& name : outputs) node.output.push_back(std::move(name));
  return node;
}

void set(ir::Node& node, const char* name, std::int64_t value) {
  ir::Attribute& attr = node.attribute.emplace_back();
  attr.name = std::string(name);
  attr.type = static_cast<std::int32_t>(ir::AttributeType::Int);
  attr.i = value;
}

ir::ValueInfo tensor_value(std::string name, DataType elem) {
  ir::ValueInfo info;
  info.name = std::move(name);
  auto& tensor = info.type.mut().tensor_type.mut();
  tensor.elem_type = static_cast<std::int32_t>(elem);
  tensor.shape.mut();
  return info;
}

ir::ValueInfo sequence_value(std::string name, DataType elem) {
  ir::ValueInfo info;
  info.name = std::move(name);
  info.type.mut().sequence_type.mut().elem_type.mut().tensor_type.mut().elem_type = static_cast<std::int32_t>(elem);
  return info;
}

// Of the graph's output: what it is declared to be, else that of the sequence that is mapped.
DataType declared_element(const BodyBuilder& b, const ir::ValueInfo& output) {
  if (output.type && output.type->tensor_type && output.type->tensor_type->elem_type.has())
    return static_cast<DataType>(output.type->tensor_type->elem_type.get());
  const ValueType& sequence = b.type(0);
  return sequence.element && sequence.element->is_tensor() ? sequence.element->elem : DataType::Float;
}

void sequence_map_body(BodyBuilder& b) {
  const ir::Graph* graph = b.attrs().graph("body");
  if (!graph) b.fail("the attribute body, a graph, is missing");
  if (static_cast<int>(graph->input.size()) != b.input_count())
    b.fail("the body has " + std::to_string(graph->input.size()) + " inputs, the node " +
           std::to_string(b.input_count()));
  if (static_cast<int>(graph->output.size()) < b.output_count())
    b.fail("the body has " + std::to_string(graph->output.size()) + " outputs, the node " +
           std::to_string(b.output_count()));
  std::string own = "__map";
  while (uses(*graph, own + "_")) own += "_";
  own += "_";

  // The body reads the elements from outside and carries the sequences that it makes.
  ir::Graph body;
  body.name = graph->name;
  body.input.push_back(tensor_value(own + "number", DataType::Int64));
  body.input.push_back(tensor_value(own + "goes_on", DataType::Bool));
  for (std::size_t i = 0; i < graph->input.size(); ++i) {
    const bool sequence = i == 0 || b.type(static_cast<int>(i)).kind == ValueType::Kind::Sequence;
    const std::string from = i == 0 ? "__input_sequence" : "__additional_inputs_" + std::to_string(i - 1);
    const std::string& to = graph->input[i].name.get();
    body.node.push_back(sequence ? make_node("SequenceAt", {from, own + "number"}, {to})
                                 : make_node("Identity", {from}, {to}));
  }
  body.node.insert(body.node.end(), graph->node.begin(), graph->node.end());
  body.initializer = graph->initializer;
  body.sparse_initializer = graph->sparse_initializer;
  body.node.push_back(make_node("Identity", {own + "goes_on"}, {own + "go_on"}));
  body.output.push_back(tensor_value(own + "go_on", DataType::Bool));

  ir::Node loop = make_node("Loop", {own + "length", ""}, {});
  b.add(make_node("SequenceLength", {"__input_sequence"}, {own + "length"}));
  for (int k = 0; k < b.output_count(); ++k) {
    const std::string n = std::to_string(k);
    const ir::ValueInfo& output = graph->output[static_cast<std::size_t>(k)];
    const DataType elem = declared_element(b, output);
    ir::Node empty = make_node("SequenceEmpty", {}, {own + "empty_" + n});
    set(empty, "dtype", static_cast<std::int64_t>(elem));
    b.add(std::move(empty));
    loop.input.push_back(own + "empty_" + n);
    loop.output.push_back("__out_sequence_" + n);
    body.input.push_back(sequence_value(own + "before_" + n, elem));
    body.node.push_back(make_node("SequenceInsert", {own + "before_" + n, output.name.get()}, {own + "after_" + n}));
    body.output.push_back(sequence_value(own + "after_" + n, elem));
  }
  ir::Attribute& attr = loop.attribute.emplace_back();
  attr.name = std::string("body");
  attr.type = static_cast<std::int32_t>(ir::AttributeType::Graph);
  attr.g.mut() = std::move(body);
  b.add(std::move(loop));
}

// The graph's nodes are of the operator sets that the caller imports, and so is what is added.
constexpr FunctionBody kSequenceMapBodies[] = {{.since = 17, .build = sequence_map_body}};

}  // namespace
}  // namespace sequence_map_body_cc

void sequence_map_bodies(opset::BodyTable& table) { table.add(SequenceMap, kSequenceMapBodies); }

}  // namespace norn::ops
