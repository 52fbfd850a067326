// Sound models and their parts, for tests that change one thing in them.
//
// The models give no finding of any severity, so what is found after a change comes from the change.
#pragma once
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "check/area_test.h"
#include "ir/tensor_data.h"

namespace norn::checks {

inline ir::Bytes unknown_field(std::uint32_t number) {
  std::vector<std::byte> bytes;
  const std::uint32_t tag = number << 3;
  if (tag < 128)
    bytes = {static_cast<std::byte>(tag), std::byte{1}};
  else
    bytes = {static_cast<std::byte>((tag & 127) | 128), static_cast<std::byte>(tag >> 7), std::byte{1}};
  return ir::Bytes(std::move(bytes));
}

inline ir::ValueInfo value(const std::string& name, std::vector<std::int64_t> dims = {2, 3}, std::int32_t elem = 1) {
  ir::ValueInfo info;
  info.name = name;
  info.type.mut().tensor_type.mut().elem_type = elem;
  for (std::int64_t d : dims) info.type->tensor_type->shape.mut().dim.emplace_back().dim_value = d;
  info.type->tensor_type->shape.mut();
  return info;
}
inline ir::Tensor tensor(const std::string& name, std::vector<std::int64_t> dims = {2, 3}) {
  ir::Tensor t;
  t.name = name;
  t.data_type = 1;
  std::size_t n = 1;
  for (std::int64_t d : dims) n *= static_cast<std::size_t>(d);
  t.dims = std::move(dims);
  t.float_data = std::vector<float>(n, 1.0f);
  return t;
}
inline ir::Node node(const std::string& op, std::vector<std::string> inputs, std::vector<std::string> outputs,
                     std::vector<ir::Attribute> attributes = {}, const std::string& domain = {}) {
  ir::Node n;
  n.op_type = op;
  if (!domain.empty()) n.domain = domain;
  n.input = std::move(inputs);
  n.output = std::move(outputs);
  n.attribute = std::move(attributes);
  return n;
}
inline ir::Attribute attribute(const std::string& name, ir::AttributeType type) {
  ir::Attribute a;
  a.name = name;
  a.type = static_cast<std::int32_t>(type);
  a.doc_string = "what it does";
  return a;
}
inline ir::Attribute int_attribute(const std::string& name, std::int64_t i) {
  ir::Attribute a = attribute(name, ir::AttributeType::Int);
  a.i = i;
  return a;
}
inline ir::Attribute float_attribute(const std::string& name, float f) {
  ir::Attribute a = attribute(name, ir::AttributeType::Float);
  a.f = f;
  return a;
}
inline ir::Attribute graph_attribute(const std::string& name, ir::Graph graph) {
  ir::Attribute a = attribute(name, ir::AttributeType::Graph);
  a.g = std::move(graph);
  return a;
}
inline ir::OperatorSetId import_of(const std::string& domain, std::int64_t version) {
  ir::OperatorSetId id;
  id.domain = domain;
  id.version = version;
  return id;
}

// y = Relu(Add(x, w))
inline ir::Model sound(std::int64_t ir_version = 10, std::int64_t opset = 0) {
  if (opset == 0) opset = ir_version >= 10 ? 21 : 7;
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
inline ir::Graph branch(const std::string& name, const std::string& output) {
  ir::Graph g;
  g.name = name;
  g.output = {value(output)};
  g.node = {node("Identity", {"x"}, {output})};
  return g;
}
inline ir::Model with_if(std::int64_t ir_version = 10) {
  ir::Model m = sound(ir_version);
  m.graph->input.push_back(value("c", {}, 9));
  m.graph->node = {node("Add", {"x", "w"}, {"s"}), node("If", {"c"}, {"y"},
                                                        {graph_attribute("then_branch", branch("then", "t")),
                                                         graph_attribute("else_branch", branch("else", "e"))})};
  return m;
}
inline ir::Graph& then_branch(ir::Model& m) { return *m.graph->node[1].attribute[0].g; }
// Loop over one carried value.
inline ir::Model with_loop(std::int64_t ir_version = 10) {
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
inline ir::Graph& loop_body(ir::Model& m) { return *m.graph->node[0].attribute[0].g; }
// A function com.example.F(a) = LeakyRelu(a), called once.
inline ir::Function function(const std::string& name = "F") {
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
inline ir::Model with_function(std::int64_t ir_version = 10) {
  ir::Model m = sound(ir_version);
  m.opset_import.push_back(import_of("com.example", 1));
  m.functions = {function()};
  m.graph->node[1] = node("F", {"s"}, {"y"}, {float_attribute("slope", 0.5f)}, "com.example");
  return m;
}

inline Report run(const ir::Model& model, CheckOptions options = {}) {
  Report report;
  Context ctx(options, model.ir_version.get(), {}, report);
  check_model(ctx, {}, model);
  return report;
}
inline std::set<std::string> rules_in(const Report& report) {
  std::set<std::string> ids;
  for (const auto& d : report.diagnostics) ids.emplace(d.rule);
  return ids;
}

enum Base { kPlain, kIf, kLoop, kFunction };
inline ir::Model base_of(Base base, std::int64_t ir_version) {
  switch (base) {
    case kIf: return with_if(ir_version);
    case kLoop: return with_loop(ir_version);
    case kFunction: return with_function(ir_version);
    default: return sound(ir_version);
  }
}
inline ir::Node& first(ir::Model& m) { return m.graph->node[0]; }
inline ir::Node& second(ir::Model& m) { return m.graph->node[1]; }

using Change = std::function<void(ir::Model&)>;
struct RuleCase {
  const char* rule;
  std::int64_t ir_version;
  Base base;
  Change breaks;
  // Leaves the document sound, and has what the rule is about in it. Without one, the base has that already.
  Change keeps = {};
  // Other rules that the change cannot help breaking.
  std::set<std::string> also = {};
};

inline void expect_cases(const std::vector<RuleCase>& cases) {
  for (const RuleCase& c : cases) {
    SCOPED_TRACE(c.rule);
    ir::Model kept = base_of(c.base, c.ir_version), broken = kept;
    if (c.keeps) c.keeps(kept);
    expect_kept(run(kept), {c.rule});
    c.breaks(broken);
    const Report report = run(broken);
    std::set<std::string> expected = c.also;
    expected.insert(c.rule);
    EXPECT_EQ(rules_in(report), expected);
    if (rules_in(report) == expected) Coverage::broken().insert(c.rule);
    for (const Diagnostic& d : report.diagnostics) EXPECT_FALSE(d.message.empty()) << d.rule;
  }
}

}  // namespace norn::checks
