// Each rule of the document's frame, broken alone: a sound model, one change, and the finding that has to follow.
// The sound model gives no finding of any severity, so a row's finding comes from its change.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "check/areas.h"
#include "ir/tensor_data.h"

namespace norn::checks {
namespace {

using Change = std::function<void(ir::Model&)>;

ir::Bytes unknown_field(std::uint32_t number) {
  std::vector<std::byte> bytes;
  const std::uint32_t tag = number << 3;
  if (tag < 128) bytes = {static_cast<std::byte>(tag), std::byte{1}};
  else bytes = {static_cast<std::byte>((tag & 127) | 128), static_cast<std::byte>(tag >> 7), std::byte{1}};
  return ir::Bytes(std::move(bytes));
}

ir::ValueInfo value(const std::string& name, std::vector<std::int64_t> dims = {2, 3}, std::int32_t elem = 1) {
  ir::ValueInfo info;
  info.name = name;
  info.type.mut().tensor_type.mut().elem_type = elem;
  for (std::int64_t d : dims) info.type->tensor_type->shape.mut().dim.emplace_back().dim_value = d;
  info.type->tensor_type->shape.mut();
  return info;
}
ir::Tensor tensor(const std::string& name, std::vector<std::int64_t> dims = {2, 3}) {
  ir::Tensor t;
  t.name = name;
  t.data_type = 1;
  std::size_t n = 1;
  for (std::int64_t d : dims) n *= static_cast<std::size_t>(d);
  t.dims = std::move(dims);
  t.float_data = std::vector<float>(n, 1.0f);
  return t;
}
ir::Node node(const std::string& op, std::vector<std::string> inputs, std::vector<std::string> outputs,
              std::vector<ir::Attribute> attributes = {}, const std::string& domain = {}) {
  ir::Node n;
  n.op_type = op;
  if (!domain.empty()) n.domain = domain;
  n.input = std::move(inputs);
  n.output = std::move(outputs);
  n.attribute = std::move(attributes);
  return n;
}
ir::Attribute attribute(const std::string& name, ir::AttributeType type) {
  ir::Attribute a;
  a.name = name;
  a.type = static_cast<std::int32_t>(type);
  a.doc_string = "what it does";
  return a;
}
ir::Attribute int_attribute(const std::string& name, std::int64_t i) {
  ir::Attribute a = attribute(name, ir::AttributeType::Int);
  a.i = i;
  return a;
}
ir::Attribute float_attribute(const std::string& name, float f) {
  ir::Attribute a = attribute(name, ir::AttributeType::Float);
  a.f = f;
  return a;
}
ir::Attribute graph_attribute(const std::string& name, ir::Graph graph) {
  ir::Attribute a = attribute(name, ir::AttributeType::Graph);
  a.g = std::move(graph);
  return a;
}
ir::OperatorSetId import_of(const std::string& domain, std::int64_t version) {
  ir::OperatorSetId id;
  id.domain = domain;
  id.version = version;
  return id;
}

// y = Relu(Add(x, w))
ir::Model sound(std::int64_t ir_version = 10, std::int64_t opset = 21) {
  ir::Model m;
  m.ir_version = ir_version;
  m.producer_name = "tests";
  m.producer_version = "1";
  m.domain = "com.example";
  if (ir_version >= 3) m.opset_import.push_back(import_of("", opset));
  ir::Graph& g = m.graph.mut();
  g.name = "main";
  g.doc_string = "adds";
  g.input = {value("x")};
  g.output = {value("y")};
  if (ir_version <= 3) g.input.push_back(value("w"));
  g.initializer = {tensor("w")};
  g.node = {node("Add", {"x", "w"}, {"s"}), node("Relu", {"s"}, {"y"})};
  return m;
}
// y = If(c) {x} else {x}
ir::Graph branch(const std::string& name, const std::string& output) {
  ir::Graph g;
  g.name = name;
  g.output = {value(output)};
  g.node = {node("Identity", {"x"}, {output})};
  return g;
}
ir::Model with_if(std::int64_t ir_version = 10) {
  ir::Model m = sound(ir_version);
  m.graph->input.push_back(value("c", {}, 9));
  m.graph->node = {node("Add", {"x", "w"}, {"s"}),
                   node("If", {"c"}, {"y"},
                        {graph_attribute("then_branch", branch("then", "t")),
                         graph_attribute("else_branch", branch("else", "e"))})};
  return m;
}
ir::Graph& then_branch(ir::Model& m) { return *m.graph->node[1].attribute[0].g; }
// Loop over one carried value.
ir::Model with_loop(std::int64_t ir_version = 10) {
  ir::Model m = sound(ir_version);
  ir::Graph body;
  body.name = "body";
  body.input = {value("i", {}, 7), value("go", {}, 9), value("a")};
  body.output = {value("go_on", {}, 9), value("b")};
  body.node = {node("Identity", {"go"}, {"go_on"}), node("Relu", {"a"}, {"b"})};
  m.graph->input.push_back(value("n", {}, 7));
  m.graph->node = {node("Loop", {"n", "", "x"}, {"y"}, {graph_attribute("body", std::move(body))})};
  m.graph->initializer.clear();
  if (ir_version <= 3) m.graph->input.erase(m.graph->input.begin() + 1);
  return m;
}
ir::Graph& loop_body(ir::Model& m) { return *m.graph->node[0].attribute[0].g; }
// A function com.example.F(a) = LeakyRelu(a), called once.
ir::Function function(const std::string& name = "F") {
  ir::Function f;
  f.name = name;
  f.domain = "com.example";
  f.input = {"a"};
  f.output = {"b"};
  f.attribute = {"slope"};
  ir::Attribute slope = attribute("alpha", ir::AttributeType::Float);
  slope.ref_attr_name = "slope";
  f.node = {node("LeakyRelu", {"a"}, {"b"}, {slope})};
  f.opset_import = {import_of("", 21)};
  return f;
}
ir::Model with_function(std::int64_t ir_version = 10) {
  ir::Model m = sound(ir_version);
  m.opset_import.push_back(import_of("com.example", 1));
  m.functions = {function()};
  m.graph->node[1] = node("F", {"s"}, {"y"}, {float_attribute("slope", 0.5f)}, "com.example");
  return m;
}

Report run(const ir::Model& model, CheckOptions options = {}) {
  Report report;
  Context ctx(options, model.ir_version.get(), {}, report);
  check_model(ctx, {}, model);
  return report;
}
std::set<std::string> rules_in(const Report& report) {
  std::set<std::string> ids;
  for (const auto& d : report.diagnostics) ids.emplace(d.rule);
  return ids;
}

enum Base { kPlain, kIf, kLoop, kFunction };
struct Row {
  const char* rule;
  std::int64_t ir_version;
  Base base;
  Change change;
};
ir::Model base_of(Base base, std::int64_t ir_version) {
  switch (base) {
    case kIf: return with_if(ir_version);
    case kLoop: return with_loop(ir_version);
    case kFunction: return with_function(ir_version);
    default: return sound(ir_version, ir_version >= 10 ? 21 : 7);
  }
}
ir::Node& first(ir::Model& m) { return m.graph->node[0]; }

std::vector<Row> rows() {
  const auto elem = [](std::int32_t type) {
    return [type](ir::Model& m) { m.graph->value_info = {value("s", {2, 3}, type)}; };
  };
  const auto typed = [](std::function<void(ir::Type&)> set) {
    return [set](ir::Model& m) {
      m.graph->value_info = {value("s")};
      ir::Type type;
      set(type);
      m.graph->value_info[0].type = type;
    };
  };
  const ir::Type element = *value("x").type;
  return {
      {"model.ir-version.present", 10, kPlain, [](auto& m) { m.ir_version.clear(); }},
      {"model.ir-version.known", 10, kPlain, [](auto& m) { m.ir_version = 99; }},
      {"model.graph.present", 10, kPlain, [](auto& m) { m.graph.clear(); }},
      {"model.producer-name", 10, kPlain, [](auto& m) { m.producer_name.clear(); }},
      {"model.producer-version", 10, kPlain, [](auto& m) { m.producer_version.clear(); }},
      {"model.domain.present", 10, kPlain, [](auto& m) { m.domain.clear(); }},
      {"model.domain.reverse-dns", 10, kPlain, [](auto& m) { m.domain = "a b"; }},
      {"model.size-2gib", 10, kPlain,
       [](auto& m) {
         // Bytes that nobody reads: a shape of as many uint8 elements needs no look at them.
         m.graph->initializer[0].float_data = {};
         m.graph->initializer[0].data_type = 2;
         m.graph->initializer[0].dims = {std::int64_t{3} << 30};
         static const std::byte here{};
         m.graph->initializer[0].raw_data = ir::Bytes(&here, std::size_t{3} << 30, {});
       }},
      {"ver.opset.simple", 10, kPlain, [](auto& m) { m.opset_import[0].version = -3; }},
      {"ver.opset.int32-range", 10, kPlain, [](auto& m) { m.opset_import[0].version = std::int64_t{1} << 40; }},
      {"ir.gate.attr-type", 1, kPlain, [](auto& m) { first(m).attribute = {int_attribute("broadcast", 1)}; }},
      {"ir.gate.opset-import", 2, kPlain, [](auto& m) { m.opset_import = {import_of("", 1)}; }},
      {"opset.import.absent-before-3", 2, kPlain, [](auto& m) { m.opset_import = {import_of("", 1)}; }},
      {"ir.gate.node-domain", 2, kPlain, [](auto& m) { first(m).domain = "ai.onnx"; }},
      {"ir.gate.bfloat16", 3, kPlain, elem(16)},
      {"ir.gate.quant-annotation", 4, kPlain,
       [](auto& m) { m.graph->quantization_annotation.emplace_back().tensor_name = "s"; }},
      {"ir.gate.sparse-constants", 5, kPlain, [](auto& m) { m.graph->sparse_initializer.emplace_back(); }},
      {"ir.gate.sequence-map", 5, kPlain,
       typed([element](ir::Type& t) { t.sequence_type.mut().elem_type = element; })},
      {"ir.gate.training", 6, kPlain, [](auto& m) { m.training_info.emplace_back(); }},
      {"ir.gate.optional-type", 7, kPlain,
       typed([element](ir::Type& t) { t.optional_type.mut().elem_type = element; })},
      {"ir.gate.sparse-type", 7, kPlain, typed([](ir::Type& t) { t.sparse_tensor_type.mut().elem_type = 1; })},
      {"ir.gate.type-proto-attr", 7, kPlain,
       [element](auto& m) {
         ir::Attribute a = attribute("__type", ir::AttributeType::TypeProto);
         a.tp = element;
         first(m).attribute = {a};
       }},
      {"ir.gate.functions", 7, kPlain, [](auto& m) { m.functions = {function()}; }},
      {"ir.gate.attribute-proto", 8, kFunction,
       [](auto& m) { m.functions[0].attribute_proto = {float_attribute("more", 1)}; }},
      {"ir.gate.float8", 8, kPlain, elem(17)},
      {"ir.gate.int4", 9, kPlain, elem(22)},
      {"ir.gate.overload", 9, kFunction, [](auto& m) { m.functions[0].overload = "v"; }},
      {"ir.gate.metadata-props", 9, kPlain,
       [](auto& m) { m.graph->metadata_props.emplace_back().key = "com.example.k"; }},
      {"ir.gate.function-value-info", 9, kFunction, [](auto& m) { m.functions[0].value_info = {value("a")}; }},
      {"ir.gate.float4", 10, kPlain, elem(23)},
      {"ir.gate.multi-device", 10, kPlain, [](auto& m) { m.configuration.emplace_back().name = "pair"; }},
      {"ir.gate.float8e8m0", 11, kPlain, elem(24)},
      {"ir.gate.int2", 12, kPlain, elem(26)},
      {"ir.gate.float6", 13, kPlain, elem(27)},
      {"ir.gate.opaque-core", 13, kPlain, typed([](ir::Type& t) { t.opaque_type.mut().name = "o"; })},
      {"opset.import.nonempty", 10, kPlain, [](auto& m) { m.opset_import.clear(); }},
      {"opset.import.has-default", 10, kPlain, [](auto& m) { m.opset_import = {import_of("com.example", 1)}; }},
      {"opset.import.version-present", 10, kPlain, [](auto& m) { m.opset_import[0].version.clear(); }},
      {"opset.import.version-known", 10, kPlain, [](auto& m) { m.opset_import[0].version = 999; }},
      {"opset.import.one-version-per-domain", 10, kFunction,
       [](auto& m) { m.functions[0].opset_import.push_back(import_of("ai.onnx", 20)); }},
      {"opset.import.unique-domain", 10, kPlain, [](auto& m) { m.opset_import.push_back(import_of("ai.onnx", 20)); }},
      {"opset.import.reverse-dns", 10, kPlain, [](auto& m) { m.opset_import.push_back(import_of("x", 1)); }},
      {"opset.min-ir", 7, kPlain, [](auto& m) { m.opset_import[0].version = 21; }},
      {"op.declared", 10, kPlain, [](auto& m) { first(m).op_type = "Frobnicate"; }},
      {"op.declared", 10, kPlain,
       [](auto& m) {
         m.opset_import[0].version = 7;
         m.graph->node[1].op_type = "Erf";  // since 9
       }},
      {"op.case-sensitive", 10, kPlain, [](auto& m) { m.graph->node[1].op_type = "relu"; }},
      {"op.deprecated", 10, kPlain, [](auto& m) { m.graph->node[1] = node("Upsample", {"s", "w"}, {"y"}); }},
      {"op.experimental-removed", 10, kPlain, [](auto& m) { m.graph->node[1].op_type = "Affine"; }},
      {"function.name.present", 10, kFunction, [](auto& m) { m.functions.push_back(function("")); }},
      {"function.domain.present", 10, kFunction, [](auto& m) { m.functions[0].domain.clear(); }},
      {"function.id.unique", 8, kFunction, [](auto& m) { m.functions.push_back(function()); }},
      {"function.id.unique-overload", 10, kFunction, [](auto& m) { m.functions.push_back(function()); }},
      {"function.overload.resolves", 10, kFunction, [](auto& m) { m.graph->node[1].overload = "none"; }},
      {"function.params.attr-distinct", 10, kFunction,
       [](auto& m) { m.functions[0].attribute_proto = {float_attribute("slope", 1)}; }},
      {"function.params.attr-unique", 10, kFunction, [](auto& m) { m.functions[0].attribute = {"slope", "slope"}; }},
      {"function.params.attr-proto-unique", 10, kFunction,
       [](auto& m) { m.functions[0].attribute_proto = {float_attribute("p", 1), float_attribute("p", 2)}; }},
      {"function.params.input-unique", 10, kFunction, [](auto& m) { m.functions[0].input = {"a", "a"}; }},
      {"function.params.output-unique", 10, kFunction, [](auto& m) { m.functions[0].output = {"b", "b"}; }},
      {"function.output.defined", 10, kFunction, [](auto& m) { m.functions[0].output = {"lost"}; }},
      {"function.body.sorted", 10, kFunction,
       [](auto& m) {
         auto& f = m.functions[0];
         f.node.insert(f.node.begin(), node("Relu", {"b"}, {"late"}));
       }},
      {"function.body.ssa", 10, kFunction,
       [](auto& m) { m.functions[0].node.push_back(node("Relu", {"a"}, {"b"})); }},
      {"function.body.closed", 10, kFunction, [](auto& m) { m.functions[0].node[0].input = {"x"}; }},
      {"function.opset.import", 10, kFunction, [](auto& m) { m.functions[0].opset_import.clear(); }},
      {"function.opset.compatible", 10, kFunction,
       [](auto& m) { m.functions[0].opset_import[0].version = 6; }},  // LeakyRelu changed in 16
      {"function.opset.caller-domain", 10, kFunction, [](auto& m) { m.opset_import.pop_back(); }},
      {"function.no-recursion", 10, kFunction,
       [](auto& m) {
         auto& f = m.functions[0];
         f.opset_import.push_back(import_of("com.example", 1));
         f.node.push_back(node("F", {"b"}, {"again"}, {}, "com.example"));
       }},
      {"function.call.arity", 10, kFunction, [](auto& m) { m.graph->node[1].input = {"s", "s"}; }},
      {"function.call.unknown-attr", 10, kFunction,
       [](auto& m) { m.graph->node[1].attribute.push_back(int_attribute("other", 1)); }},
      {"function.attr.declared", 10, kFunction, [](auto& m) { m.functions[0].attribute = {"other"}; }},
      {"function.value-info.names", 10, kFunction, [](auto& m) { m.functions[0].value_info = {value("nobody")}; }},
      {"function.status-reserved", 10, kFunction, [](auto& m) { m.functions[0].unknown = unknown_field(2); }},
      {"graph.name", 10, kPlain, [](auto& m) { m.graph->name = ""; }},
      {"graph.nodes.sorted", 10, kPlain, [](auto& m) { std::swap(m.graph->node[0], m.graph->node[1]); }},
      {"graph.acyclic", 10, kPlain, [](auto& m) { first(m).input = {"y", "w"}; }},
      {"graph.ssa", 10, kPlain, [](auto& m) { m.graph->node.push_back(node("Relu", {"x"}, {"s"})); }},
      {"graph.inputs.typed", 10, kPlain, [](auto& m) { m.graph->input[0].type.clear(); }},
      {"graph.outputs.typed", 10, kPlain, [](auto& m) { m.graph->output[0].type.clear(); }},
      {"graph.io.shape", 10, kPlain, [](auto& m) { m.graph->input[0].type->tensor_type->shape.clear(); }},
      {"graph.io.unique-inputs", 10, kPlain, [](auto& m) { m.graph->input.push_back(value("x")); }},
      {"graph.subgraph.io-names", 10, kLoop, [](auto& m) { loop_body(m).input[0].name = ""; }},
      {"graph.output.defined", 10, kPlain, [](auto& m) { m.graph->output[0].name = "lost"; }},
      {"graph.output.defined", 10, kIf, [](auto& m) { then_branch(m).output[0].name = "x"; }},
      {"graph.value-info.unique", 10, kPlain, [](auto& m) { m.graph->value_info = {value("s"), value("s")}; }},
      {"graph.value-info.not-io", 10, kPlain, [](auto& m) { m.graph->value_info = {value("x")}; }},
      {"graph.value-info.not-io", 10, kPlain, [](auto& m) { m.graph->value_info = {value("y")}; }},
      {"graph.value-info.known", 10, kPlain, [](auto& m) { m.graph->value_info = {value("nobody")}; }},
      {"graph.doc-string", 10, kPlain, [](auto& m) { m.graph->doc_string.clear(); }},
      {"graph.doc-string.no-html", 10, kPlain, [](auto& m) { m.graph->doc_string = "a <b>bold</b> graph"; }},
      {"graph.reserved-fields", 10, kPlain, [](auto& m) { m.graph->unknown = unknown_field(7); }},
      {"name.c90", 10, kPlain, [](auto& m) { first(m).name = "conv/1"; }},
      {"name.ns.attribute-vs-io", 10, kFunction, [](auto& m) { m.functions[0].attribute.push_back("a"); }},
      {"name.ns.value", 10, kPlain, [](auto& m) { m.graph->node.push_back(node("Relu", {"s"}, {"x"})); }},
      {"name.ns.node", 10, kPlain, [](auto& m) { m.graph->node[0].name = m.graph->node[1].name = "n"; }},
      {"name.ns.graph", 10, kIf, [](auto& m) { then_branch(m).name = "main"; }},
      {"name.scope.visible-before", 10, kIf,
       [](auto& m) {
         then_branch(m).node[0].input = {"late"};
         m.graph->node.push_back(node("Relu", {"x"}, {"late"}));
       }},
      {"name.scope.no-shadow-output", 10, kIf,
       [](auto& m) {
         then_branch(m).node[0].output = {"s"};
         then_branch(m).output[0].name = "s";
       }},
      {"name.scope.no-shadow-input", 10, kLoop, [](auto& m) { loop_body(m).input[0].name = "x"; }},
      {"name.scope.no-shadow-initializer", 10, kIf, [](auto& m) { then_branch(m).initializer = {tensor("x")}; }},
      {"node.op-type", 10, kPlain, [](auto& m) { first(m).op_type = ""; }},
      {"node.outputs.at-least-one", 10, kPlain, [](auto& m) { m.graph->node.push_back(node("Relu", {"x"}, {})); }},
      {"node.input.defined", 10, kPlain, [](auto& m) { first(m).input[0] = "xx"; }},
      {"node.domain.imported", 10, kPlain, [](auto& m) { first(m).domain = "com.other"; }},
      {"node.inputs.count", 10, kPlain, [](auto& m) { m.graph->node[1].input = {"s", "s"}; }},
      {"node.inputs.count", 10, kPlain, [](auto& m) { first(m).input = {"x"}; }},
      {"node.outputs.count", 10, kPlain, [](auto& m) { m.graph->node[1].output = {"y", "z"}; }},
      {"node.attributes.known", 10, kPlain, [](auto& m) { first(m).attribute = {int_attribute("axes", 1)}; }},
      {"node.attributes.required", 10, kPlain, [](auto& m) { m.graph->node[1] = node("Concat", {"s"}, {"y"}); }},
      {"node.attributes.type", 10, kPlain,
       [](auto& m) { m.graph->node[1] = node("LeakyRelu", {"s"}, {"y"}, {int_attribute("alpha", 1)}); }},
      {"node.variadic.min-arity", 10, kPlain,
       [](auto& m) { m.graph->node[1] = node("Concat", {}, {"y"}, {int_attribute("axis", 0)}); }},
      {"node.variadic.no-holes", 10, kPlain,
       [](auto& m) { m.graph->node[1] = node("Concat", {"s", "", "s"}, {"y"}, {int_attribute("axis", 0)}); }},
      {"node.inputs.required-empty", 10, kPlain, [](auto& m) { first(m).input[1] = ""; }},
      {"node.outputs.required-empty", 10, kPlain, [](auto& m) { m.graph->node.push_back(node("Relu", {"x"}, {""})); }},
      {"node.outputs.named-iff-computed", 10, kPlain,
       [](auto& m) {
         m.graph->node[1] = node("BatchNormalization", {"s", "w", "w", "w", "w"}, {"y", "mean", "variance"});
       }},
      {"attr.name", 10, kPlain, [](auto& m) { first(m).attribute = {int_attribute("", 1)}; }},
      {"attr.type.present", 10, kPlain,
       [](auto& m) {
         first(m).attribute = {int_attribute("__own", 1)};
         first(m).attribute[0].type.clear();
       }},
      {"attr.type.not-undefined", 10, kPlain,
       [](auto& m) {
         first(m).attribute = {int_attribute("__own", 1)};
         first(m).attribute[0].type = 0;
       }},
      {"attr.type.matches-field", 10, kPlain,
       [](auto& m) {
         first(m).attribute = {attribute("__own", ir::AttributeType::Int)};
         first(m).attribute[0].f = 1.0f;
       }},
      {"attr.value.exactly-one", 10, kPlain,
       [](auto& m) {
         first(m).attribute = {int_attribute("__own", 1)};
         first(m).attribute[0].f = 1.0f;
       }},
      {"attr.value.message-present", 10, kPlain,
       [](auto& m) { first(m).attribute = {attribute("__own", ir::AttributeType::Tensor)}; }},
      {"attr.value.string-utf8", 10, kPlain,
       [](auto& m) {
         first(m).attribute = {attribute("__own", ir::AttributeType::String)};
         first(m).attribute[0].s = "\xff";
       }},
      {"attr.unique", 10, kPlain,
       [](auto& m) { first(m).attribute = {int_attribute("__own", 1), int_attribute("__own", 1)}; }},
      {"attr.doc-string", 10, kPlain,
       [](auto& m) {
         first(m).attribute = {int_attribute("__own", 1)};
         first(m).attribute[0].doc_string.clear();
       }},
      {"attr.ref.only-in-function", 10, kPlain,
       [](auto& m) {
         first(m).attribute = {attribute("__own", ir::AttributeType::Int)};
         first(m).attribute[0].ref_attr_name = "p";
       }},
      {"attr.ref.no-value", 10, kFunction, [](auto& m) { m.functions[0].node[0].attribute[0].f = 1.0f; }},
      {"attr.ref.same-type", 10, kFunction,
       [](auto& m) {
         m.functions[0].attribute.clear();
         m.functions[0].attribute_proto = {int_attribute("slope", 1)};
       }},
      {"attr.reserved-v", 10, kPlain,
       [](auto& m) {
         first(m).attribute = {int_attribute("__own", 1)};
         first(m).attribute[0].unknown = unknown_field(12);
       }},
      {"init.name", 10, kPlain, [](auto& m) { m.graph->initializer.push_back(tensor("")); }},
      {"init.unique", 10, kPlain, [](auto& m) { m.graph->initializer.push_back(tensor("w")); }},
      {"init.unique-sparse", 10, kPlain,
       [](auto& m) { m.graph->sparse_initializer.emplace_back().values.mut().name = "w"; }},
      {"init.must-be-input", 3, kPlain, [](auto& m) { m.graph->input.pop_back(); }},
      {"init.constant-not-input", 10, kPlain, [](auto& m) { m.graph->input.push_back(value("w")); }},
      {"init.type-matches-input", 3, kPlain, [](auto& m) { m.graph->input[1] = value("w", {2, 3}, 7); }},
      {"init.type-matches-input", 3, kPlain, [](auto& m) { m.graph->input[1] = value("w", {2, 4}); }},
      {"init.subgraph.no-input-alias", 10, kLoop, [](auto& m) { loop_body(m).initializer = {tensor("a")}; }},
      {"init.subgraph.actuals-not-init", 3, kLoop, [](auto& m) { loop_body(m).initializer = {tensor("a")}; }},
      {"init.subgraph.order", 3, kLoop,
       [](auto& m) {
         loop_body(m).input.insert(loop_body(m).input.begin(), value("k"));
         loop_body(m).initializer = {tensor("k")};
       }},
      {"init.not-node-output", 10, kPlain, [](auto& m) { m.graph->node.push_back(node("Relu", {"x"}, {"w"})); }},
      {"exec.if.outputs-match", 10, kIf, [](auto& m) { then_branch(m).output.push_back(value("t")); }},
      {"exec.if.outputs-match", 10, kIf, [](auto& m) { then_branch(m).output[0] = value("t", {2, 3}, 7); }},
      {"exec.if.no-inputs", 10, kIf, [](auto& m) { then_branch(m).input = {value("arg")}; }},
      {"exec.loop.cond-required-out", 10, kLoop, [](auto& m) { loop_body(m).output.pop_back(); }},
  };
}

TEST(Checker, SoundModelsHaveNoFindings) {
  for (const Base base : {kPlain, kIf, kLoop, kFunction}) {
    for (std::int64_t ir = base == kFunction ? 8 : 4; ir <= 14; ++ir) {
      if (base != kPlain && ir < 9) continue;  // their opset came with IR 10; 9 would warn of it
      ir::Model m = base_of(base, ir);
      if (ir < 10 && base != kPlain) m.opset_import[0].version = 20;
      if (ir < 10) {
        for (auto& f : m.functions) f.opset_import[0].version = 20;
      }
      EXPECT_EQ(rules_in(run(m)), std::set<std::string>()) << base << " at IR " << ir << "\n";
    }
  }
  EXPECT_EQ(rules_in(run(sound(1))), std::set<std::string>());
  EXPECT_EQ(rules_in(run(sound(2))), std::set<std::string>());
}

TEST(Checker, EachRuleAlone) {
  for (const Row& row : rows()) {
    ir::Model m = base_of(row.base, row.ir_version);
    EXPECT_FALSE(rules_in(run(m)).contains(row.rule)) << row.rule << " is told of the sound model";
    row.change(m);
    const Report report = run(m);
    EXPECT_TRUE(rules_in(report).contains(row.rule)) << row.rule << " is not told";
    for (const auto& d : report.diagnostics) EXPECT_FALSE(d.message.empty()) << d.rule;
  }
}

// Which rules no row above breaks, and why. Areas beside the document's frame have tables of their own.
TEST(Checker, RulesWithoutARowAreNamed) {
  std::set<std::string_view> tested;
  const auto all = rows();
  for (const Row& row : all) tested.insert(row.rule);
  const std::vector<std::string_view> elsewhere = {"data.",   "denotation.", "device.", "ext.",   "meta.",  "quant.",
                                                   "shape.",  "sparse.",     "tensor.", "train.", "type.",  "value.",
                                                   "name.c90.dim-param"};
  int printed = 0;
  for (const RuleRow& rule : kRuleRows) {
    if (tested.contains(rule.id)) {
      EXPECT_TRUE(rule.not_checked.empty()) << rule.id;
      continue;
    }
    const bool other = std::any_of(elsewhere.begin(), elsewhere.end(),
                                   [&](std::string_view area) { return rule.id.starts_with(area); });
    EXPECT_TRUE(other || !rule.not_checked.empty()) << rule.id << " is checked but has no test";
    if (!rule.not_checked.empty()) {
      std::printf("%.*s: %.*s\n", static_cast<int>(rule.id.size()), rule.id.data(),
                  static_cast<int>(rule.not_checked.size()), rule.not_checked.data());
      ++printed;
    }
  }
  EXPECT_GT(printed, 0);
}

TEST(Checker, IdsAreUniqueAndVersionsSane) {
  std::set<std::string_view> ids;
  for (const RuleRow& rule : kRuleRows) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_TRUE(rule.level == kMust || rule.level == kShould) << rule.id;
    EXPECT_LE(1, rule.ir_from) << rule.id;
    EXPECT_LE(rule.ir_from, rule.ir_to) << rule.id;
    EXPECT_LE(rule.ir_to, 14) << rule.id;
  }
}

Severity severity_under(Profile profile, const ir::Model& model, std::string_view rule) {
  CheckOptions options;
  options.profile = profile;
  for (const auto& d : run(model, options).diagnostics) {
    if (d.rule == rule) return d.severity;
  }
  ADD_FAILURE() << rule << " is not told";
  return Severity::Note;
}

TEST(Checker, SeveritiesFollowTheProfile) {
  ir::Model shapeless = sound();
  shapeless.graph->input[0].type->tensor_type->shape.clear();
  EXPECT_EQ(severity_under(Profile::Spec, shapeless, "graph.io.shape"), Severity::Warning);
  EXPECT_EQ(severity_under(Profile::Strict, shapeless, "graph.io.shape"), Severity::Error);
  EXPECT_EQ(severity_under(Profile::Runtime, shapeless, "graph.io.shape"), Severity::Warning);
  ir::Model nameless = sound();
  nameless.graph->name.clear();
  EXPECT_EQ(severity_under(Profile::Spec, nameless, "graph.name"), Severity::Error);
  EXPECT_EQ(severity_under(Profile::Runtime, nameless, "graph.name"), Severity::Warning);
  ir::Model dangling = sound();
  dangling.graph->node[0].input[0] = "xx";
  EXPECT_EQ(severity_under(Profile::Runtime, dangling, "node.input.defined"), Severity::Error);
  ir::Model anonymous = sound();
  anonymous.producer_name.clear();
  EXPECT_EQ(severity_under(Profile::Spec, anonymous, "model.producer-name"), Severity::Note);
  EXPECT_EQ(severity_under(Profile::Strict, anonymous, "model.producer-name"), Severity::Warning);
}

TEST(Checker, PlacesAndHints) {
  ir::Model m = with_if();
  m.graph->node[1].name = "choose";
  then_branch(m).node[0].input = {"xs"};
  Report report = run(m);
  ASSERT_EQ(report.diagnostics.size(), 1u);
  EXPECT_EQ(report.diagnostics[0].where,
            "graph \"main\" / node 1 \"choose\" (If) / attribute \"then_branch\" / graph \"then\" / "
            "node 0 (Identity) / input 0 \"xs\"");
  EXPECT_NE(report.diagnostics[0].hint.find("did you mean"), std::string::npos);

  m = sound();
  m.graph->node[1] = node("Squeeze", {"s"}, {"y"}, {attribute("axes", ir::AttributeType::Ints)});
  m.graph->node[1].attribute[0].ints = {0};
  report = run(m);
  ASSERT_EQ(report.diagnostics.size(), 1u);
  EXPECT_EQ(report.diagnostics[0].hint, "since opset 13 \"axes\" is an input: give it as input 1");

  m = sound();
  m.graph->node[1].input = {"x", ""};
  m.graph->node[0].input = {"x", "", "w"};
  report = run(m);
  ASSERT_FALSE(report.diagnostics.empty());
  EXPECT_NE(report.diagnostics[1].where.find("input 1"), std::string::npos) << report.diagnostics[1].where;
}

TEST(Checker, OptionsCountAndDrop) {
  ir::Model m = sound();
  m.graph->node.clear();
  for (int i = 0; i < 50; ++i) m.graph->node.push_back(node("Relu", {"no"}, {i == 0 ? "y" : "v" + std::to_string(i)}));
  m.producer_name.clear();
  CheckOptions options;
  options.max_findings = 1;
  const Report report = run(m, options);
  EXPECT_EQ(report.diagnostics.size(), 1u);
  EXPECT_EQ(report.diagnostics[0].severity, Severity::Error);
  EXPECT_EQ(report.dropped, 50u);

  ir::Model custom = sound();
  custom.opset_import.push_back(import_of("com.example", 1));
  custom.graph->node[1] = node("Mine", {"s"}, {"y"}, {}, "com.example");
  EXPECT_TRUE(rules_in(run(custom)).empty());
  options = {};
  options.check_custom_domain = true;
  EXPECT_TRUE(rules_in(run(custom, options)).contains("op.declared"));

  ir::Model mixed = with_function();
  mixed.functions[0].opset_import[0].version = 6;
  options = {};
  options.skip_opset_compatibility_check = true;
  EXPECT_FALSE(rules_in(run(mixed, options)).contains("function.opset.compatible"));
}

TEST(Checker, DoublingFunctionsAreRefusedInLinearTime) {
  ir::Model m = with_function();
  m.functions.clear();
  for (int i = 0; i < 60; ++i) {
    ir::Function f = function("F" + std::to_string(i));
    f.attribute.clear();
    f.node[0].attribute.clear();
    f.opset_import.push_back(import_of("com.example", 1));
    if (i > 0) {
      const std::string below = "F" + std::to_string(i - 1);
      f.node = {node(below, {"a"}, {"m"}, {}, "com.example"), node(below, {"m"}, {"b"}, {}, "com.example")};
    }
    m.functions.push_back(std::move(f));
  }
  m.graph->node[1] = node("F10", {"s"}, {"y"}, {}, "com.example");
  EXPECT_EQ(rules_in(run(m)), std::set<std::string>());
  m.graph->node[1].op_type = "F59";
  try {
    run(m);
    FAIL() << "2^59 nodes are accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::LimitExceeded);
  }
}

TEST(Checker, DepthAndNodesAreBounded) {
  ir::Model m = with_if();
  CheckOptions options;
  options.limits.max_depth = 1;
  EXPECT_THROW(run(m, options), Error);
  options = {};
  options.limits.max_nodes = 3;
  EXPECT_THROW(run(m, options), Error);
  options.limits.max_nodes = 4;
  EXPECT_EQ(rules_in(run(m, options)), std::set<std::string>());
}

}  // namespace
}  // namespace norn::checks
