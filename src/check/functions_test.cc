// Rules about a model's functions and the calls of them.
#include "check/sound_models_test.h"

namespace norn::checks {
namespace {

ir::Function& callee(ir::Model& m) { return m.functions[0]; }
ir::Node& call(ir::Model& m) { return m.graph->node[1]; }
ir::Function other(const std::string& overload) {
  ir::Function f = function();
  f.overload = overload;
  return f;
}
void add_input(ir::Model& m, const char* name) { callee(m).input.push_back(name); }

TEST(Functions, NamesAndIds) {
  expect_cases({
      {"function.name.present", 10, kFunction, [](auto& m) { m.functions.push_back(function("")); },
       [](auto& m) { m.functions.push_back(function("G")); }},
      {"function.domain.present", 10, kPlain,
       [](auto& m) {
         m.functions = {function()};
         callee(m).domain.clear();
       },
       [](auto& m) {
         m.functions = {function()};
         callee(m).domain = "";  // stated, if only as the default one
       }},
      {"function.id.unique", 8, kPlain,
       [](auto& m) {
         m.functions = {function(), function()};
         for (auto& f : m.functions) f.opset_import = m.opset_import;
       },
       [](auto& m) {
         m.functions = {function("F"), function("G")};
         for (auto& f : m.functions) f.opset_import = m.opset_import;
       }},
      {"function.id.unique-overload", 10, kFunction, [](auto& m) { m.functions.push_back(function()); },
       [](auto& m) { m.functions.push_back(other("v")); }},
      {"function.overload.resolves", 10, kFunction, [](auto& m) { call(m).overload = "none"; },
       [](auto& m) {
         m.functions.push_back(other("v"));
         call(m).overload = "v";
       }},
      {"function.status-reserved", 10, kFunction, [](auto& m) { callee(m).unknown = unknown_field(2); },
       [](auto& m) { callee(m).unknown = unknown_field(20); }},
      {"function.status-reserved", 10, kFunction, [](auto& m) { callee(m).unknown = unknown_field(3); }},
  });
}

TEST(Functions, Signatures) {
  expect_cases({
      {"function.params.attr-distinct", 10, kFunction,
       [](auto& m) { callee(m).attribute_proto = {float_attribute("slope", 1)}; },
       [](auto& m) { callee(m).attribute_proto = {float_attribute("more", 1)}; }},
      {"function.params.attr-unique", 10, kFunction, [](auto& m) { callee(m).attribute = {"slope", "slope"}; },
       [](auto& m) { callee(m).attribute = {"slope", "more"}; }},
      {"function.params.attr-proto-unique", 10, kFunction,
       [](auto& m) { callee(m).attribute_proto = {float_attribute("p", 1), float_attribute("p", 2)}; },
       [](auto& m) { callee(m).attribute_proto = {float_attribute("p", 1), float_attribute("q", 2)}; }},
      {"function.params.input-unique", 10, kFunction, [](auto& m) { add_input(m, "a"); },
       [](auto& m) { add_input(m, "c"); }},
      {"function.params.output-unique", 10, kFunction, [](auto& m) { callee(m).output = {"b", "b"}; },
       [](auto& m) { callee(m).output = {"b", "a"}; }},
      {"function.output.defined", 10, kFunction, [](auto& m) { callee(m).output = {"lost"}; },
       [](auto& m) { callee(m).output = {"a"}; }},
      {"function.value-info.names", 10, kFunction, [](auto& m) { callee(m).value_info = {value("nobody")}; },
       [](auto& m) { callee(m).value_info = {value("a"), value("b")}; }},
      {"function.value-info.names", 10, kFunction, [](auto& m) { callee(m).value_info = {value("a"), value("a")}; }},
      {"name.ns.attribute-vs-io", 10, kFunction, [](auto& m) { callee(m).attribute.push_back("a"); }},
      {"name.ns.attribute-vs-io", 10, kFunction, [](auto& m) { callee(m).attribute_proto = {float_attribute("b", 1)}; },
       [](auto& m) { callee(m).attribute_proto = {float_attribute("x", 1)}; }},
  });
}

TEST(Functions, FormOfNames) {
  expect_cases({
      {"name.c90", 10, kFunction,
       [](auto& m) {
         callee(m).name = "F-1";
         call(m).op_type = "F-1";
       },
       [](auto& m) {
         callee(m).name = "F_1";
         call(m).op_type = "F_1";
       }},
      {"name.c90", 10, kFunction, [](auto& m) { callee(m).node[0].input = callee(m).input = {"a.1"}; },
       [](auto& m) { callee(m).node[0].input = callee(m).input = {"a_1"}; }},
      {"name.c90", 10, kFunction,
       [](auto& m) {
         callee(m).node[0].output = {"b/2"};
         callee(m).output = {"b/2"};
       }},
      {"name.c90", 10, kFunction, [](auto& m) { callee(m).node[0].name = "relu 1"; }},
      {"name.c90", 10, kFunction, [](auto& m) { callee(m).attribute.push_back("more-1"); }},
      {"name.c90", 10, kFunction, [](auto& m) { callee(m).attribute_proto = {float_attribute("more-1", 1)}; }},
  });
}

TEST(Functions, Bodies) {
  expect_cases({
      {"function.body.sorted", 10, kFunction,
       [](auto& m) { callee(m).node.insert(callee(m).node.begin(), node("Relu", {"b"}, {"late"})); },
       [](auto& m) { callee(m).node.push_back(node("Relu", {"b"}, {"late"})); }},
      {"function.body.ssa", 10, kFunction, [](auto& m) { callee(m).node.push_back(node("Relu", {"a"}, {"b"})); },
       [](auto& m) { callee(m).node.push_back(node("Relu", {"a"}, {"c"})); }},
      {"function.body.closed", 10, kFunction, [](auto& m) { callee(m).node[0].input = {"x"}; }},
      {"function.opset.import", 10, kFunction, [](auto& m) { callee(m).opset_import.clear(); }},
      {"opset.import.version-known", 10, kFunction,
       [](auto& m) { callee(m).opset_import.push_back(import_of("ai.onnx.ml", 99)); },
       [](auto& m) { callee(m).opset_import.push_back(import_of("ai.onnx.ml", 5)); }},
      {"ver.opset.simple", 10, kFunction,
       [](auto& m) { callee(m).opset_import.push_back(import_of("com.example", 0)); },
       [](auto& m) { callee(m).opset_import.push_back(import_of("com.example", 1)); }},
      // LeakyRelu changed in 16, and not between 16 and 21.
      {"function.opset.compatible", 10, kFunction, [](auto& m) { callee(m).opset_import[0].version = 15; },
       [](auto& m) { callee(m).opset_import[0].version = 16; }},
      {"function.no-recursion", 10, kFunction,
       [](auto& m) {
         callee(m).opset_import.push_back(import_of("com.example", 1));
         callee(m).node.push_back(node("F", {"b"}, {"again"}, {}, "com.example"));
       },
       [](auto& m) {
         m.functions.push_back(function("G"));
         callee(m).opset_import.push_back(import_of("com.example", 1));
         callee(m).node.push_back(node("G", {"b"}, {"again"}, {}, "com.example"));
       }},
      {"function.attr.declared",
       10,
       kFunction,
       [](auto& m) { callee(m).attribute = {"other"}; },
       {},
       {"function.call.unknown-attr"}},
      {"attr.ref.no-value", 10, kFunction, [](auto& m) { callee(m).node[0].attribute[0].f = 1.0f; }},
      {"attr.ref.same-type", 10, kFunction,
       [](auto& m) {
         callee(m).attribute.clear();
         callee(m).attribute_proto = {int_attribute("slope", 1)};
       },
       [](auto& m) {
         callee(m).attribute.clear();
         callee(m).attribute_proto = {float_attribute("slope", 1)};
       }},
      {"attr.ref.only-in-function", 10, kFunction,
       [](auto& m) {
         call(m).attribute[0].f.clear();
         call(m).attribute[0].ref_attr_name = "p";
       }},
  });
}

// Through a subgraph, and over several functions.
TEST(Functions, RecursionByDetours) {
  const auto calls = [](const std::string& name, const std::string& to) {
    ir::Function f = function(name);
    f.opset_import.push_back(import_of("com.example", 1));
    f.node.push_back(node(to, {"b"}, {"again"}, {}, "com.example"));
    return f;
  };
  ir::Model m = with_function();
  m.functions = {calls("F", "G"), calls("G", "H"), calls("H", "F")};
  EXPECT_EQ(rules_in(run(m)), std::set<std::string>{"function.no-recursion"});
  m.functions.back() = function("H");
  expect_kept(run(m), {"function.no-recursion"});

  m = with_function();
  callee(m).opset_import.push_back(import_of("com.example", 1));
  ir::Graph inner;
  inner.name = "inner";
  inner.output = {value("t")};
  inner.node = {node("F", {"a"}, {"t"}, {}, "com.example")};
  ir::Graph flat = inner;
  flat.name = "flat";
  flat.node = {node("Relu", {"a"}, {"t"})};
  callee(m).input.push_back("c");
  callee(m).node.push_back(
      node("If", {"c"}, {"d"}, {graph_attribute("then_branch", inner), graph_attribute("else_branch", flat)}));
  EXPECT_EQ(rules_in(run(m)), std::set<std::string>{"function.no-recursion"});
}

// The default of an attribute may be a graph: part of the body wherever a node refers to it.
TEST(Functions, GraphsThatAreDefaults) {
  const auto with_default = [](ir::Node in_default) {
    ir::Model m = with_function();
    ir::Graph g;
    g.name = "default";
    g.output = {value("t")};
    in_default.output = {"t"};
    g.node = {std::move(in_default)};
    callee(m).attribute_proto = {graph_attribute("g", g)};
    callee(m).input.push_back("c");
    ir::Node branches = node("If", {"c"}, {"d"});
    for (const char* name : {"then_branch", "else_branch"}) {
      ir::Attribute& reference = branches.attribute.emplace_back(attribute(name, ir::AttributeType::Graph));
      reference.ref_attr_name = "g";
    }
    callee(m).node.push_back(branches);
    callee(m).opset_import.push_back(import_of("com.example", 1));
    call(m).input = {"s", "x"};
    return m;
  };
  // It sees the function's inputs and what its body computes.
  expect_kept(run(with_default(node("Add", {"a", "b"}, {}))), {"function.body.closed", "function.no-recursion"});
  EXPECT_EQ(rules_in(run(with_default(node("Relu", {"x"}, {})))), std::set<std::string>{"function.body.closed"});
  EXPECT_EQ(rules_in(run(with_default(node("F", {"a", "a"}, {}, {}, "com.example")))),
            std::set<std::string>{"function.no-recursion"});
  ir::Model m = with_default(node("HardSigmoid", {"a"}, {}));
  callee(m).node.erase(callee(m).node.begin());
  callee(m).output = {"d"};
  callee(m).attribute.clear();
  call(m).attribute.clear();
  EXPECT_EQ(rules_in(run(m)), std::set<std::string>());
  m.opset_import[0].version = 22;  // HardSigmoid changed in 22, If not
  const Report report = run(m);
  ASSERT_EQ(rules_in(report), std::set<std::string>{"function.opset.compatible"});
  EXPECT_EQ(report.diagnostics[0].where,
            "function 0 \"F\" / attribute \"g\" / graph \"default\" / node 0 (HardSigmoid)");
}

TEST(Functions, ADefaultIsNoReference) {
  ir::Model m = with_function();
  callee(m).attribute_proto = {attribute("more", ir::AttributeType::Float)};
  callee(m).attribute_proto[0].ref_attr_name = "slope";
  EXPECT_EQ(rules_in(run(m)), std::set<std::string>{"attr.ref.only-in-function"});
}

TEST(Functions, NodesOfSubgraphsMeanTheSameToo) {
  ir::Model m = with_function();
  callee(m).input.push_back("c");
  call(m).input = {"s", "x"};
  ir::Graph inner;
  inner.name = "inner";
  inner.output = {value("t")};
  inner.node = {node("HardSigmoid", {"a"}, {"t"})};
  ir::Graph other_branch = inner;
  other_branch.name = "other";
  other_branch.output = {value("u")};
  other_branch.node = {node("Relu", {"a"}, {"u"})};
  callee(m).node.push_back(
      node("If", {"c"}, {"d"}, {graph_attribute("then_branch", inner), graph_attribute("else_branch", other_branch)}));
  m.opset_import[0].version = 22;  // HardSigmoid changed in 22; LeakyRelu, Relu and If did not
  m.ir_version = 10;
  const Report report = run(m);
  ASSERT_EQ(rules_in(report), std::set<std::string>{"function.opset.compatible"});
  EXPECT_EQ(report.diagnostics.size(), 1u);
  EXPECT_NE(report.diagnostics[0].where.find("graph \"inner\" / node 0 (HardSigmoid)"), std::string::npos);
}

TEST(Functions, Calls) {
  expect_cases({
      {"function.opset.caller-domain", 10, kFunction, [](auto& m) { m.opset_import.pop_back(); }},
      {"function.call.arity", 10, kFunction, [](auto& m) { call(m).input = {"s", "s"}; },
       [](auto& m) {
         add_input(m, "c");  // and left out
       }},
      {"function.call.arity", 10, kFunction, [](auto& m) { call(m).output = {"y", "z"}; }},
      {"function.call.unknown-attr", 10, kFunction,
       [](auto& m) { call(m).attribute.push_back(int_attribute("other", 1)); },
       [](auto& m) { call(m).attribute.push_back(int_attribute("__other", 1)); }},
  });
}

}  // namespace
}  // namespace norn::checks
