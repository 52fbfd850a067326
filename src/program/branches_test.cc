// What nodes say of sizes: which values it holds for. The sizes follow from the rules of MatMul by hand.
#include <gtest/gtest.h>

#include "norn/error.h"
#include "program/lower.h"
#include "program/passes.h"
#include "program/verify.h"
#include "tests/support/model_builder.h"

namespace norn::program {
namespace {

using norn::test::graph_attr;
using norn::test::GraphBuilder;
using norn::test::ModelBuilder;
using ops::test::random_tensor;

ir::Graph times(const std::string& weights, const std::string& name) {
  GraphBuilder g(name);
  g.node("MatMul", {"x", weights}, {name + "_y"}).output(name + "_y");
  return g.graph();
}
ir::Graph handed_on(const std::string& value) {
  GraphBuilder g("same");
  g.node("Identity", {value}, {"same_y"}).output("same_y");
  return g.graph();
}

struct Choice {
  ModelBuilder m{16};
  Choice() {
    m.input("c", "bool[]").input("x", "float[N]");
    for (int rows : {5, 6}) m.initializer("w" + std::to_string(rows), random_tensor(DataType::Float, {rows, 3}, 1));
  }
  void choose(const ir::Graph& yes, const ir::Graph& no, const std::string& out = "y") {
    m.node("If", {"c"}, {out}, {graph_attr("then_branch", yes), graph_attr("else_branch", no)});
    m.output(out);
  }
  Program program() {
    Program p = lower(m.build(), {});
    verify(p);
    return p;
  }
};

std::string type_of(const Graph& graph, const std::string& name) {
  for (const Value& value : graph.values)
    if (value.name == name) return value.type.to_string();
  return "none";
}
const Graph& branch(const Program& p, std::size_t node, std::size_t index) {
  return *p.main.nodes[node].subgraphs[index].graph;
}

TEST(Branches, WhatOneSaysHoldsInIt) {
  Choice c;
  c.choose(times("w5", "a"), times("w6", "b"));
  const Program p = c.program();
  EXPECT_EQ(type_of(p.main, "x"), "float[N]");
  EXPECT_EQ(type_of(branch(p, 0, 0), "x"), "float[5]");
  EXPECT_EQ(type_of(branch(p, 0, 1), "x"), "float[6]");
  EXPECT_EQ(type_of(p.main, "y"), "float[3]");
}

TEST(Branches, WhatBothSayHoldsAround) {
  Choice c;
  c.choose(times("w5", "a"), times("w5", "b"));
  EXPECT_EQ(type_of(c.program().main, "x"), "float[5]");

  Choice nested;
  GraphBuilder inner("inner");
  inner.node("If", {"c"}, {"i"},
             {graph_attr("then_branch", times("w6", "a")), graph_attr("else_branch", times("w6", "b"))});
  inner.output("i");
  nested.choose(inner.graph(), times("w6", "d"));
  EXPECT_EQ(type_of(nested.program().main, "x"), "float[6]");

  Choice one;
  one.choose(inner.graph(), handed_on("x"));
  const Program p = one.program();
  EXPECT_EQ(type_of(p.main, "x"), "float[N]");
  EXPECT_EQ(type_of(branch(p, 0, 0), "x"), "float[6]");
  EXPECT_EQ(type_of(branch(p, 0, 1), "x"), "float[N]");
}

TEST(Branches, WhatTheGraphAroundSaysHoldsInThemWhereverItStands) {
  for (const bool before : {true, false}) {
    Choice c;
    if (before) c.m.node("MatMul", {"x", "w5"}, {"z"}).output("z");
    c.choose(handed_on("x"), times("w6", "b"));
    if (!before) c.m.node("MatMul", {"x", "w5"}, {"z"}).output("z");
    const Program p = c.program();
    EXPECT_EQ(type_of(p.main, "x"), "float[5]");
    EXPECT_EQ(type_of(branch(p, before, 0), "x"), "float[5]");
  }
}

TEST(Branches, WhatContradictsInOneIsNoReasonToRefuse) {
  Choice c;
  GraphBuilder both("both");
  both.node("MatMul", {"x", "w5"}, {"p"}).node("MatMul", {"x", "w6"}, {"q"}).node("Add", {"p", "q"}, {"r"}).output("r");
  c.choose(both.graph(), handed_on("x"));
  EXPECT_EQ(type_of(c.program().main, "x"), "float[N]");
  c.m.node("MatMul", {"x", "w5"}, {"p"}).output("p");
  EXPECT_EQ(type_of(c.program().main, "x"), "float[5]");
  c.m.node("MatMul", {"x", "w6"}, {"q"}).output("q");
  try {
    c.program();
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::InvalidGraph);
    EXPECT_NE(e.where().find("node 2 \"n2\" (MatMul) / inputs (\"x\" float[N], \"w6\" float[6,3])"), std::string::npos)
        << e.where();
    EXPECT_NE(e.message().find("must be equal"), std::string::npos) << e.message();
  }
}

TEST(Branches, WhatDoesNotRunSaysNothing) {
  Choice c;
  c.m.node("MatMul", {"x", "w5"}, {"dead"}).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_EQ(type_of(c.program().main, "x"), "float[N]");
  c.m.node("Neg", {"dead"}, {"dead_too"});
  EXPECT_EQ(type_of(c.program().main, "x"), "float[N]");
  c.m.node("Shape", {"dead"}, {"s"}).output("s");  // though the product itself is not computed for it
  EXPECT_EQ(type_of(c.program().main, "x"), "float[5]");
}

TEST(Branches, OnesThatAreInPlaceAreOfTheGraph) {
  Choice c;
  c.m.initializer("yes", ops::test::tensor<bool>({1}, {true}));
  GraphBuilder inner("inner");
  inner.initializer("one", ops::test::tensor<float>({1}, {1}));
  inner.node("MatMul", {"x", "w5"}, {"p"}).node("Add", {"p", "one"}, {"q"}).output("q").output("x");
  c.m.node("If", {"yes"}, {"y", "z"},
           {graph_attr("then_branch", inner.graph()), graph_attr("else_branch", times("w6", "b"))});
  c.m.output("y").output("z");
  const Program p = c.program();
  ASSERT_EQ(p.main.nodes.size(), 2u);
  EXPECT_EQ(type_of(p.main, "x"), "float[5]");
  EXPECT_EQ(p.main.outputs[1], p.main.inputs[1]) << "handed through";
  EXPECT_EQ(p.main.inputs.size(), 2u);
}

// Lowering them adds values to the graph around, whose memory moves.
TEST(Branches, OnesThatCaptureManyValuesAreToldWithTheirTypes) {
  Choice c;
  GraphBuilder deep("deep"), middle("middle");
  for (int i = 0; i < 100; ++i) {
    const std::string name = "v" + std::to_string(i);
    c.m.node("Neg", {"x"}, {name});
    deep.node("Abs", {name}, {"deep_" + name});
  }
  deep.output("deep_v0").output("deep_v1");
  middle.node("If", {"c"}, {"i"}, {graph_attr("then_branch", deep.graph()), graph_attr("else_branch", deep.graph())});
  middle.output("i");
  c.choose(middle.graph(), handed_on("x"));
  try {
    c.program();
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(e.where().find("inputs (\"c\" bool[])"), std::string::npos) << e.where();
    EXPECT_NE(e.message().find("has 2 outputs, but the If has 1"), std::string::npos) << e.message();
  }
}

// A version of the operator that takes no sequences does not take them where the condition is known either.
TEST(Branches, OnesThatAreInPlaceKeepTheRulesOfIf) {
  Choice c;
  c.m.document().opset_import[0].version = std::int64_t{11};
  c.m.initializer("yes", ops::test::tensor<bool>({1}, {true}));
  GraphBuilder inner("inner");
  inner.node("SequenceConstruct", {"x"}, {"q"}).output("q");
  c.m.node("If", {"yes"}, {"y"}, {graph_attr("then_branch", inner.graph()), graph_attr("else_branch", inner.graph())});
  c.m.output("y");
  EXPECT_THROW(c.program(), Error);
  c.m.document().opset_import[0].version = std::int64_t{13};
  EXPECT_EQ(type_of(c.program().main, "y"), "seq(float[N])");
  c.m.graph().node[0].output.push_back("more");
  EXPECT_THROW(c.program(), Error);
}

}  // namespace
}  // namespace norn::program
