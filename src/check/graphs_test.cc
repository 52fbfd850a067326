// Rules about graphs: their values and the names of them, initializers, nested graphs.
#include <optional>

#include "check/sound_models_test.h"

namespace norn::checks {
namespace {

void add(ir::Model& m, ir::Node n) { m.graph->node.push_back(std::move(n)); }
Change doc(const char* text) {
  return [text](ir::Model& m) { m.graph->doc_string = text; };
}
Change infos(std::vector<const char*> names) {
  return [names](ir::Model& m) {
    add(m, node("Relu", {"s"}, {"r"}));
    for (const char* name : names) m.graph->value_info.push_back(value(name));
  };
}

TEST(Graphs, FieldsOfTheirOwn) {
  expect_cases({
      {"graph.name", 10, kPlain, [](auto& m) { m.graph->name = ""; }},
      {"graph.name", 10, kIf, [](auto& m) { then_branch(m).name = ""; }},
      {"graph.doc-string", 10, kPlain, [](auto& m) { m.graph->doc_string.clear(); }},
      {"graph.doc-string.no-html", 10, kPlain, doc("a <b>bold</b> graph"),
       doc("where a < b, see <https://example.com>, <eval> and **bold** text")},
      {"graph.doc-string.no-html", 10, kPlain, doc("one<br/>two")},
      {"graph.doc-string.no-html", 10, kPlain, [](auto& m) { first(m).doc_string = "<a href=\"x\">link</a>"; }},
      {"graph.reserved-fields", 10, kPlain, [](auto& m) { m.graph->unknown = unknown_field(7); },
       [](auto& m) { m.graph->unknown = unknown_field(20); }},
      {"graph.reserved-fields", 10, kPlain, [](auto& m) { m.graph->unknown = unknown_field(3); }},
      {"graph.inputs.typed", 10, kPlain, [](auto& m) { m.graph->input[0].type.clear(); }},
      {"graph.inputs.typed", 10, kPlain, [](auto& m) { m.graph->input.push_back(value("")); }},
      {"graph.outputs.typed", 10, kPlain, [](auto& m) { m.graph->output[0].type.clear(); }},
      {"graph.io.shape", 10, kPlain, [](auto& m) { m.graph->input[0].type->tensor_type->shape.clear(); },
       [](auto& m) {
         m.graph->input[0] = value("x", {});  // a scalar has one
       }},
      {"graph.io.shape", 10, kPlain, [](auto& m) { m.graph->output[0].type->tensor_type->shape.clear(); }},
      {"graph.io.unique-inputs", 10, kPlain, [](auto& m) { m.graph->input.push_back(value("x")); },
       [](auto& m) { m.graph->input.push_back(value("x2")); }},
      {"graph.subgraph.io-names", 10, kLoop, [](auto& m) { loop_body(m).input[0].name = ""; }},
      {"graph.subgraph.io-names", 10, kIf, [](auto& m) { then_branch(m).output[0].name = ""; }},
      {"graph.output.defined", 10, kPlain, [](auto& m) { m.graph->output[0].name = "lost"; }},
      {"graph.output.defined", 10, kPlain, [](auto& m) { m.graph->output.push_back(value("nowhere")); },
       [](auto& m) {
         m.graph->output.push_back(value("x"));  // an input and an initializer are the graph's own
         m.graph->output.push_back(value("w"));
       }},
      {"graph.output.defined", 10, kIf, [](auto& m) { then_branch(m).output[0].name = "x"; }},
      {"graph.value-info.unique", 10, kPlain, infos({"s", "r", "s"}), infos({"s", "r"})},
      {"graph.value-info.not-io", 10, kPlain, infos({"x"}), infos({"s"})},
      {"graph.value-info.not-io", 10, kPlain, infos({"y"})},
      {"graph.value-info.known", 10, kPlain, infos({"nobody"}), infos({"r"})},
  });
}

Change sparse(const char* name) {
  return [name](ir::Model& m) {
    ir::SparseTensor& s = m.graph->sparse_initializer.emplace_back();
    s.dims = {4};
    s.values = tensor(name, {0});
    s.values->float_data = {};
  };
}

Change custom_attribute(const char* name) {
  return [name](ir::Model& m) {
    m.opset_import.push_back(import_of("com.example", 1));
    add(m, node("Own", {"x"}, {"o"}, {int_attribute(name, 1)}, "com.example"));
  };
}

TEST(Graphs, OrderAndDefinitions) {
  expect_cases({
      {"graph.nodes.sorted", 10, kPlain, [](auto& m) { std::swap(m.graph->node[0], m.graph->node[1]); }},
      {"graph.acyclic", 10, kPlain, [](auto& m) { first(m).input = {"y", "w"}; }},
      {"graph.acyclic", 10, kPlain, [](auto& m) { second(m).input = {"y"}; }},
      {"graph.ssa", 10, kPlain, [](auto& m) { add(m, node("Relu", {"x"}, {"s"})); },
       [](auto& m) { add(m, node("Relu", {"x"}, {"s2"})); }},
      {"name.ns.value", 10, kPlain, [](auto& m) { add(m, node("Relu", {"s"}, {"x"})); }},
      {"name.ns.node", 10, kPlain, [](auto& m) { first(m).name = second(m).name = "n"; },
       [](auto& m) {
         first(m).name = "n";
         second(m).name = "o";
         add(m, node("Relu", {"s"}, {"r"}));  // names may be left out, by any number of nodes
         add(m, node("Relu", {"s"}, {"q"}));
       }},
      {"name.ns.graph", 10, kIf, [](auto& m) { then_branch(m).name = "main"; }},
      {"name.c90", 10, kPlain, [](auto& m) { first(m).name = "conv/1"; }, [](auto& m) { first(m).name = "_conv_1"; }},
      {"name.c90", 10, kPlain, [](auto& m) { first(m).name = "1st"; }},
      {"name.c90", 10, kPlain, custom_attribute("own.1"), custom_attribute("own_1")},
      {"name.c90", 10, kPlain, sparse("v/1"), sparse("v_1")},
      {"node.input.defined", 10, kPlain, [](auto& m) { first(m).input[0] = "xx"; }},
      {"node.input.defined", 10, kIf, [](auto& m) { then_branch(m).node[0].input = {"e"}; }},  // of the other branch
  });
}

TEST(Graphs, Scopes) {
  expect_cases({
      {"name.scope.visible-before", 10, kIf,
       [](auto& m) {
         then_branch(m).node[0].input = {"late"};
         add(m, node("Relu", {"x"}, {"late"}));
       },
       [](auto& m) {
         then_branch(m).node[0].input = {"early"};
         m.graph->node.insert(m.graph->node.begin(), node("Relu", {"x"}, {"early"}));
         std::swap(m.graph->node[1], m.graph->node[2]);
       }},
      {"graph.acyclic", 10, kIf, [](auto& m) { then_branch(m).node[0].input = {"y"}; }},  // of the If itself
      {"graph.acyclic", 10, kIf,
       [](auto& m) {
         add(m, node("Relu", {"y"}, {"late"}));
         then_branch(m).node[0].input = {"late"};
       },
       [](auto& m) {
         add(m, node("Relu", {"y"}, {"late"}));
         then_branch(m).node[0].output = {"e"};
         then_branch(m).output[0].name = "e";
       }},
      {"name.scope.no-shadow-output", 10, kIf,
       [](auto& m) {
         then_branch(m).node[0].output = {"s"};
         then_branch(m).output[0].name = "s";
       },
       [](auto& m) {
         then_branch(m).node[0].output = {"e"};  // as the sibling has it
         then_branch(m).output[0].name = "e";
       }},
      {"name.scope.no-shadow-input", 10, kLoop, [](auto& m) { loop_body(m).input[0].name = "x"; }},
      {"name.scope.no-shadow-initializer", 10, kIf, [](auto& m) { then_branch(m).initializer = {tensor("x")}; },
       [](auto& m) { then_branch(m).initializer = {tensor("k")}; }},
  });
}

// From a graph nested in the branch, in a graph and in a function.
TEST(Graphs, NodesDoNotReadTheirOwnOutputsInside) {
  ir::Model m = with_if();
  ir::Graph inner = branch("inner", "i");
  inner.node[0].input = {"y"};
  ir::Graph other = branch("other", "o");
  then_branch(m).node = {
      node("If", {"c"}, {"t"}, {graph_attribute("then_branch", inner), graph_attribute("else_branch", other)})};
  const Report report = run(m);
  EXPECT_EQ(rules_in(report), std::set<std::string>{"graph.acyclic"});
  EXPECT_NE(report.diagnostics[0].where.find("graph \"inner\""), std::string::npos) << report.diagnostics[0].where;

  ir::Model called = with_function();
  ir::Function& f = called.functions[0];
  f.input.push_back("x");
  f.input.push_back("c");
  f.output = {"y"};
  f.node = {m.graph->node[1]};
  called.graph->node[1].input = {"s", "x", "c"};
  called.graph->input.push_back(value("c", {}, 9));
  called.graph->node[1].attribute.clear();
  EXPECT_EQ(rules_in(run(called)), std::set<std::string>{"graph.acyclic"});
}

// What would help is said only where it would.
TEST(Graphs, NodesInACircleAreNotToBeSorted) {
  const auto hint_of = [](const ir::Model& m, std::string_view rule) {
    for (const Diagnostic& d : run(m).diagnostics) {
      if (d.rule == rule) return d.hint;
    }
    return std::string("no such finding");
  };
  ir::Model m = with_if();
  then_branch(m).node[0].input = {"late"};
  add(m, node("Relu", {"x"}, {"late"}));
  EXPECT_NE(hint_of(m, "name.scope.visible-before"), "");
  m.graph->node.back().input = {"y"};
  EXPECT_EQ(rules_in(run(m)), std::set<std::string>{"graph.acyclic"});
  m = sound();
  std::swap(m.graph->node[0], m.graph->node[1]);
  EXPECT_NE(hint_of(m, "graph.nodes.sorted"), "");
  m = sound();
  first(m).input = {"y", "w"};
  EXPECT_EQ(rules_in(run(m)), std::set<std::string>{"graph.acyclic"});
  // One that waits for the circle's nodes is not in it.
  m.graph->node.insert(m.graph->node.begin(), node("Relu", {"y"}, {"behind"}));
  EXPECT_EQ(rules_in(run(m)), (std::set<std::string>{"graph.acyclic", "graph.nodes.sorted"}));
  EXPECT_EQ(hint_of(m, "graph.nodes.sorted"), "");
}

TEST(Graphs, Initializers) {
  expect_cases({
      {"init.name", 10, kPlain, [](auto& m) { m.graph->initializer.push_back(tensor("")); }},
      {"init.unique", 10, kPlain, [](auto& m) { m.graph->initializer.push_back(tensor("w")); },
       [](auto& m) { m.graph->initializer.push_back(tensor("v")); }},
      {"init.unique-sparse", 10, kPlain, sparse("w"), sparse("v")},
      {"init.must-be-input", 3, kPlain, [](auto& m) { m.graph->input.pop_back(); }},
      {"init.constant-not-input", 10, kPlain, [](auto& m) { m.graph->input.push_back(value("w")); }},
      {"init.type-matches-input", 3, kPlain, [](auto& m) { m.graph->input[1] = value("w", {2, 3}, 7); },
       [](auto& m) {
         auto& dims = m.graph->input[1].type->tensor_type->shape->dim;
         dims[0].dim_value.clear();
         dims[1].dim_value.clear();
         dims[1].dim_param = "N";
       }},
      {"init.type-matches-input", 3, kPlain, [](auto& m) { m.graph->input[1] = value("w", {2, 4}); }},
      {"init.type-matches-input", 3, kPlain, [](auto& m) { m.graph->input[1] = value("w", {6}); }},
      {"init.type-matches-input",
       14,
       kPlain,
       [](auto& m) {
         m.graph->input.push_back(value("w", {}, 7));
         std::swap(m.graph->input[1].type->tensor_type, m.graph->input[1].type->sparse_tensor_type);
       },
       {},
       {"init.constant-not-input"}},
      {"init.type-matches-input", 3, kPlain,
       [](auto& m) {
         m.graph->input[1] = value("w", {2, 4});
         m.graph->initializer[0].segment.mut().end = 6;
       },
       [](auto& m) { m.graph->initializer[0].segment.mut().end = 6; }},
      {"init.type-matches-input",
       14,
       kPlain,
       [](auto& m) {
         m.graph->input.push_back(value("v", {3}));
         sparse("v")(m);
       },
       {},
       {"init.constant-not-input"}},
      {"init.not-node-output", 10, kPlain, [](auto& m) { add(m, node("Relu", {"x"}, {"w"})); }},
  });
}

// y = body over a carried value, with a constant of the body among its inputs, as IR 3 wants it.
void add_constant(ir::Model& m, std::size_t at, const char* name) {
  ir::Graph& body = loop_body(m);
  body.input.insert(body.input.begin() + static_cast<std::ptrdiff_t>(at), value(name));
  body.initializer.push_back(tensor(name));
}

// Initializers of one name that are segments of one tensor.
TEST(Graphs, Segments) {
  struct Part {
    std::int64_t begin, end;
    std::vector<std::int64_t> dims = {2, 3};
    std::int32_t type = 1;
  };
  const auto parts = [](const std::vector<Part>& all) {
    return [all](ir::Model& m) {
      m.graph->initializer.clear();
      for (const Part& part : all) {
        ir::Tensor& t = m.graph->initializer.emplace_back(tensor("w", part.dims));
        t.data_type = part.type;
        const auto held = static_cast<std::size_t>(std::max<std::int64_t>(0, part.end - part.begin));
        t.float_data = std::vector<float>(part.type == 1 ? held : 0, 1.0f);
        if (part.type != 1) t.int32_data = std::vector<std::int32_t>(held, 1);
        t.segment.mut().begin = part.begin;
        t.segment->end = part.end;
      }
    };
  };
  const auto plain = [&](std::size_t which) {
    return [=](ir::Model& m) {
      parts({{0, 6}, {0, 6}})(m);
      m.graph->initializer[which].segment.clear();
    };
  };
  expect_cases({
      {"init.unique", 10, kPlain, parts({{0, 6}, {0, 6}}), parts({{0, 2}, {2, 6}})},
      {"init.unique", 10, kPlain, parts({{0, 4}, {3, 6}}), parts({{3, 6}, {0, 2}, {2, 3}})},
      {"init.unique", 10, kPlain, plain(0), parts({{0, 6}})},
      {"init.unique", 10, kPlain, plain(1), parts({{0, 6}, {6, 6}})},
      {"init.unique", 10, kPlain, parts({{0, 3}, {3, 6, {6}}})},
      {"init.unique", 10, kPlain, parts({{0, 3}, {3, 6, {2, 3}, 6}})},
      {"tensor.storage.count-enough", 10, kPlain, parts({{0, 2}, {3, 6}}), parts({{0, 2}, {2, 6}})},
      {"tensor.storage.count-enough", 10, kPlain, parts({{1, 6}}), parts({{0, 0, {0}}})},
      {"tensor.storage.count-enough", 10, kPlain, parts({{0, 2}, {2, 5}})},
      {"tensor.segment.bounds", 10, kPlain, parts({{0, 2}, {2, 7}})},
      {"tensor.segment.bounds", 10, kPlain, parts({{3, 2}})},
  });
}

TEST(Graphs, ConstantsOfNestedGraphs) {
  expect_cases({
      {"init.subgraph.no-input-alias", 10, kLoop, [](auto& m) { loop_body(m).initializer = {tensor("a")}; },
       [](auto& m) { loop_body(m).initializer = {tensor("k")}; }},
      {"init.subgraph.no-input-alias", 14, kLoop,
       [](auto& m) {
         loop_body(m).sparse_initializer.emplace_back().values = tensor("a", {0});
         loop_body(m).sparse_initializer[0].dims = {2, 3};
       },
       [](auto& m) {
         loop_body(m).sparse_initializer.emplace_back().values = tensor("k", {0});
         loop_body(m).sparse_initializer[0].dims = {2, 3};
       }},
      {"init.subgraph.actuals-not-init", 3, kLoop, [](auto& m) { loop_body(m).initializer = {tensor("a")}; },
       [](auto& m) { add_constant(m, 3, "k"); }},
      {"init.subgraph.order",
       3,
       kLoop,
       [](auto& m) { add_constant(m, 0, "k"); },
       [](auto& m) {
         add_constant(m, 3, "k");
         add_constant(m, 4, "l");
       },
       {"init.subgraph.actuals-not-init"}},
  });
}

// An unknown operator may allow what those of ONNX do not.
TEST(Graphs, ConstantsOfBodiesOfUnknownOperators) {
  ir::Model m = with_loop();
  m.opset_import.push_back(import_of("com.example", 1));
  first(m).domain = "com.example";
  loop_body(m).initializer = {tensor("a")};
  const Report report = run(m);
  EXPECT_EQ(rules_in(report), std::set<std::string>{"init.subgraph.no-input-alias"});
  EXPECT_FALSE(has_errors(report));
  first(m).domain.clear();
  EXPECT_TRUE(has_errors(run(m)));
}

// Parts of a type that a branch does not state can be what the other's are.
TEST(Graphs, OutputsOfBranchesAsFarAsTheyAreKnown) {
  const auto sequence = [](std::optional<ir::Type> element) {
    ir::Type t;
    t.sequence_type.mut();
    if (element) t.sequence_type->elem_type = *element;
    return t;
  };
  const auto map = [](std::int32_t key, std::int32_t element) {
    ir::Type t;
    t.map_type.mut().key_type = key;
    t.map_type->value_type = *value("", {}, element).type;
    return t;
  };
  const auto optional = [](const ir::Type& element) {
    ir::Type t;
    t.optional_type.mut().elem_type = element;
    return t;
  };
  const ir::Type nothing, number = *value("").type, whole = *value("", {}, 7).type;
  const struct {
    ir::Type then_type, else_type;
    bool sound;
  } cases[] = {
      {nothing, number, true},
      {sequence(nothing), sequence(number), true},
      {sequence(std::nullopt), sequence(number), true},
      {sequence(std::nullopt), number, false},
      {sequence(whole), sequence(number), false},
      {optional(sequence(nothing)), optional(sequence(whole)), true},
      {optional(number), optional(whole), false},
      {map(7, 1), map(7, 1), true},
      {map(7, 1), map(8, 1), false},
      {map(7, 1), map(7, 7), false},
  };
  for (const auto& c : cases) {
    ir::Model m = with_if();
    m.graph->node[1].attribute[1].g->output[0].type = c.else_type;
    then_branch(m).output[0].type = c.then_type;
    EXPECT_EQ(rules_in(run(m)).count("exec.if.outputs-match"), c.sound ? 0u : 1u);
    std::swap(then_branch(m).output[0].type, m.graph->node[1].attribute[1].g->output[0].type);
    EXPECT_EQ(rules_in(run(m)).count("exec.if.outputs-match"), c.sound ? 0u : 1u);
  }
}

TEST(Graphs, BodiesOfControlFlow) {
  expect_cases({
      {"exec.if.outputs-match", 10, kIf, [](auto& m) { then_branch(m).output.push_back(value("t")); }},
      {"exec.if.outputs-match", 10, kIf, [](auto& m) { then_branch(m).output[0] = value("t", {2, 3}, 7); },
       [](auto& m) {
         then_branch(m).output[0] = value("t", {5, 3});  // shapes may differ
       }},
      {"exec.if.no-inputs", 10, kIf, [](auto& m) { then_branch(m).input = {value("arg")}; }},
      {"exec.loop.cond-required-out", 10, kLoop, [](auto& m) { loop_body(m).output.pop_back(); }},
  });
  const auto fewer_inputs = [](ir::Model& m) {
    loop_body(m).input.pop_back();
    loop_body(m).node[1].input = {"x"};
  };
  const auto more_outputs = [](ir::Model& m) {
    loop_body(m).node.push_back(node("Neg", {"x"}, {"c"}));
    loop_body(m).output.push_back(value("c"));
  };
  const auto scan = [](ir::Model& m) {
    ir::Node& n = first(m);
    n.op_type = "Scan";
    n.input = {"x"};
    n.attribute.push_back(int_attribute("num_scan_inputs", 1));
    ir::Graph& body = loop_body(m);
    body.input = {value("a", {3})};
    body.output = {value("b", {3})};
    body.node.erase(body.node.begin());
  };
  const auto early_scan = [=](ir::Model& m) {
    scan(m);
    first(m).input = {"", "x"};  // the first input is of lengths
    m.opset_import[0].version = 8;
  };
  const auto both = [](auto a, auto b) {
    return [=](ir::Model& m) {
      a(m);
      b(m);
    };
  };
  const auto sequence_map = [=](ir::Model& m) {
    scan(m);
    first(m).op_type = "SequenceMap";
    first(m).attribute.pop_back();
    m.graph->input[0].type.clear();
    m.graph->input[0].type.mut().sequence_type.mut().elem_type = *value("x").type;
  };
  expect_cases({
      {"node.inputs.count", 10, kLoop, fewer_inputs},
      {"node.inputs.count", 10, kLoop, [](auto& m) { loop_body(m).input.push_back(value("more")); }},
      {"node.inputs.count", 3, kLoop, [](auto& m) { loop_body(m).input.push_back(value("more")); }},
      {"node.inputs.count", 10, kLoop, [](auto& m) { first(m).input = {"n"}; },
       both(fewer_inputs, [](auto& m) { first(m).input = {"n", ""}; })},
      {"node.outputs.count", 10, kLoop, more_outputs,
       both(more_outputs, [](auto& m) { first(m).output.push_back("z"); })},
      {"node.outputs.count", 10, kLoop, [](auto& m) { first(m).output.push_back("z"); }},
      {"node.outputs.count", 10, kLoop, both(scan, more_outputs), scan},
      {"node.inputs.count", 10, kLoop, both(scan, [](auto& m) { loop_body(m).input.push_back(value("more")); }), scan},
      {"node.inputs.count", 10, kLoop, both(early_scan, [](auto& m) { m.opset_import[0].version = 9; }), early_scan},
      {"node.inputs.count", 10, kLoop, both(sequence_map, [](auto& m) { first(m).input.push_back("x"); }),
       sequence_map},
  });
  // Constants that IR 3 lists are not inputs that have to be fed.
  ir::Model early = with_if(3);
  then_branch(early).input = {value("k")};
  then_branch(early).initializer = {tensor("k")};
  expect_kept(run(early), {"exec.if.no-inputs"});
}

}  // namespace
}  // namespace norn::checks
