// Graphs that a Rewriter changes: order, readers and provenance afterwards. What must hold of any Program is left to
// verify().
#include "program/rewriter.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "norn/error.h"
#include "ops/math/binary_arith/binary_arith.h"
#include "ops/math/unary_math/unary_math.h"
#include "ops/tensor/nonzero/nonzero.h"
#include "program/lower.h"
#include "program/passes.h"
#include "program/verify.h"
#include "tests/support/model_builder.h"

namespace norn::program {
namespace {

using norn::test::graph_attr;
using norn::test::GraphBuilder;
using norn::test::ModelBuilder;
using ops::test::tensor;

std::vector<std::string> operators_of(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& n : graph.nodes) names.push_back(describe_operations(n));
  return names;
}

ValueId named(const Graph& graph, const std::string& name) {
  for (ValueId id = 0; id < graph.values.size(); ++id)
    if (graph.value(id).name == name) return id;
  return kNone;
}

std::vector<NodeId> readers(const Rewriter& rewriter, ValueId id) {
  std::vector<NodeId> found;
  rewriter.readers(id, [&](NodeId n) { found.push_back(n); });
  std::sort(found.begin(), found.end());
  return found;
}

TEST(Rewriter, KnowsEveryReader) {
  GraphBuilder yes("yes"), no("no");
  yes.node("Neg", {"a"}, {"t"}).output("t");
  no.node("Mul", {"a", "a"}, {"e"}).output("e");
  ModelBuilder m(16);
  m.input("c", "bool[]").input("x", "float[2]").node("Abs", {"x"}, {"a"}).node("Mul", {"a", "a"}, {"b"});
  m.node("If", {"c"}, {"d"}, {graph_attr("then_branch", yes.graph()), graph_attr("else_branch", no.graph())});
  m.output("a").output("b").output("d").output("x");
  Program p = lower(m.build(), {});
  Rewriter rewriter(p, p.main);
  const ValueId a = named(p.main, "a"), x = named(p.main, "x");
  EXPECT_EQ(rewriter.producer(a), 0u);
  EXPECT_EQ(rewriter.producer(x), kNoNode);
  EXPECT_EQ(readers(rewriter, a), (std::vector<NodeId>{1, 1, 2, 2, kNoNode}));
  EXPECT_EQ(rewriter.reads(a), 5u);
  EXPECT_EQ(readers(rewriter, x), (std::vector<NodeId>{0, kNoNode}));
  EXPECT_EQ(rewriter.only_reader(named(p.main, "c")), 2u);
  EXPECT_EQ(rewriter.only_reader(named(p.main, "b")), kNoNode) << "an output of the graph reads it";

  // All of them read the input instead, and the node goes.
  rewriter.replace(a, x);
  EXPECT_EQ(readers(rewriter, x), (std::vector<NodeId>{1, 1, 2, 2, kNoNode, kNoNode}));
  EXPECT_FALSE(rewriter.is_there(0));
  rewriter.commit();
  EXPECT_EQ(operators_of(p.main), (std::vector<std::string>{"Mul", "If"}));
  EXPECT_EQ(p.main.outputs[0], x);
  for (const Subgraph& sub : p.main.nodes[1].subgraphs) EXPECT_EQ(sub.graph->captures[0].outer, x);
  verify(p);
}

TEST(Rewriter, NewNodesStandBehindWhatTheyReadAndBeforeTheirReaders) {
  ModelBuilder m(18);
  m.input("x", "float[2]").node("Neg", {"x"}, {"a"}).node("Exp", {"a"}, {"b"}).node("Tanh", {"b"}, {"c"});
  m.node("Add", {"a", "c"}, {"y"}).output("y").output("a");
  {  // In place of a node.
    Program p = lower(m.build(), {});
    Rewriter rewriter(p, p.main);
    const ValueId minus = rewriter.constant(tensor<float>({1}, {-1}), "minus");
    const ValueId a = rewriter.emit(ops::Mul, {}, {rewriter.node(0).inputs[0], minus}, {0});
    rewriter.replace(named(p.main, "a"), a);
    rewriter.commit();
    verify(p);
    EXPECT_EQ(operators_of(p.main), (std::vector<std::string>{"Mul", "Exp", "Tanh", "Add"}));
    EXPECT_EQ(p.main.value(a).name, "a");
    EXPECT_EQ(p.main.nodes[0].name, "n0");
    EXPECT_EQ(p.main.nodes[0].path(), "graph \"main\" / node 0 \"n0\" (Neg)");
    EXPECT_EQ(p.main.outputs[1], a);
  }
  {  // Behind a value, for all that read it.
    Program p = lower(m.build(), {});
    Rewriter rewriter(p, p.main);
    const ValueId a = named(p.main, "a"), later = rewriter.emit(ops::Abs, {}, {a}, {});
    rewriter.replace(a, later);
    rewriter.commit();
    verify(p);
    EXPECT_EQ(operators_of(p.main), (std::vector<std::string>{"Neg", "Abs", "Exp", "Tanh", "Add"}));
    EXPECT_EQ(p.main.nodes[1].inputs[0], a);
    EXPECT_EQ(p.main.outputs[1], later);
  }
  {  // In place of two, of which the first has another reader.
    Program p = lower(m.build(), {});
    Rewriter rewriter(p, p.main);
    const ValueId b = rewriter.emit(ops::Sqrt, {}, {named(p.main, "x")}, {0, 1});
    rewriter.replace(named(p.main, "b"), b);
    EXPECT_TRUE(rewriter.is_there(0));
    EXPECT_FALSE(rewriter.is_there(1));
    rewriter.commit();
    verify(p);
    EXPECT_EQ(operators_of(p.main), (std::vector<std::string>{"Neg", "Sqrt", "Tanh", "Add"}));
    EXPECT_EQ(p.main.nodes[1].paths.size(), 2u);
  }
  {  // A node that comes to read what stands behind it moves.
    Program p = lower(m.build(), {});
    Rewriter rewriter(p, p.main);
    const ValueId late = rewriter.emit(ops::Mul, {}, {named(p.main, "x"), named(p.main, "x")}, {3});
    const ValueId b = rewriter.emit(ops::Relu, {}, {late}, {1});
    rewriter.replace(named(p.main, "b"), b);
    rewriter.commit();
    verify(p);
    EXPECT_EQ(operators_of(p.main), (std::vector<std::string>{"Neg", "Mul", "Relu", "Tanh", "Add"}));
  }
  {
    Program p = lower(m.build(), {});
    Rewriter rewriter(p, p.main);
    const ValueId b = rewriter.emit(ops::Sqrt, {}, {named(p.main, "c")}, {1});
    rewriter.replace(named(p.main, "b"), b);
    EXPECT_THROW(rewriter.commit(), Error) << "a cycle";
  }
}

TEST(Rewriter, MergesWhereNodesCameFrom) {
  ModelBuilder m(18);
  m.input("x", "float[2]").node("Neg", {"x"}, {"a"}).node("Abs", {"a"}, {"y"}).output("y");
  const auto entry = [](const char* key, const char* value) {
    ir::StringStringEntry e;
    e.key = std::string(key);
    e.value = std::string(value);
    return e;
  };
  const auto device = [](const char* id, const char* spec) {
    ir::NodeDeviceConfiguration d;
    d.configuration_id = std::string(id);
    ir::ShardingSpec s;
    s.tensor_name = std::string(spec);
    d.sharding_spec.push_back(s);
    return d;
  };
  ir::Node &neg = m.graph().node[0], &abs = m.graph().node[1];
  neg.metadata_props = ir::Metadata{entry("k", "1"), entry("only", "neg")};
  abs.metadata_props = ir::Metadata{entry("k", "2"), entry("other", "abs")};
  neg.device_configurations.push_back(device("two", "a"));
  abs.device_configurations.push_back(device("two", "y"));
  abs.device_configurations.push_back(device("four", "y"));
  Program p = lower(m.build(), {});
  {
    Program q = clone(p);
    Rewriter rewriter(q, q.main);
    rewriter.replace(named(q.main, "y"), rewriter.emit(ops::Relu, {}, {named(q.main, "x")}, {0, 1}));
    rewriter.commit();
    verify(q);
    ASSERT_EQ(operators_of(q.main), std::vector<std::string>{"Relu"});
    const Node& made = q.main.nodes[0];
    EXPECT_EQ(made.name, "n0");
    EXPECT_EQ(made.paths.size(), 2u);
    ASSERT_EQ(made.metadata.size(), 3u);
    EXPECT_EQ(made.metadata[0].value.get(), "1");
    ASSERT_EQ(made.device_configurations.size(), 2u);
    EXPECT_EQ(made.device_configurations[0].sharding_spec.size(), 2u);
  }
  // A part keeps its own, and the document has it again.
  run_passes(p, {});
  ASSERT_EQ(operators_of(p.main), std::vector<std::string>{"Neg+Abs"});
  const Node& part = p.main.nodes[0].parts[0];
  EXPECT_EQ(part.name, "n1");
  EXPECT_EQ(p.main.value(p.main.nodes[0].outputs[0]).name, "a");
  EXPECT_EQ(p.main.nodes[0].paths.size(), 1u);
  const ir::Model written = to_model(p);
  ASSERT_EQ(written.graph->node.size(), 2u);
  EXPECT_EQ(written.graph->node[1].name.get(), "n1");
  EXPECT_EQ(written.graph->node[1].metadata_props.size(), 2u);
  EXPECT_EQ(written.graph->node[1].device_configurations.size(), 2u);
  EXPECT_EQ(written.graph->node[0].device_configurations.size(), 1u);
  EXPECT_EQ(written.graph->node[1].input[0], "a");
}

TEST(Rewriter, NewSizesAreNew) {
  ModelBuilder m(18);
  m.input("x", "float[2]").node("NonZero", {"x"}, {"a"}).node("Neg", {"x"}, {"b"}).output("a").output("b");
  Program p = lower(m.build(), {});
  Rewriter rewriter(p, p.main);
  const ValueId x = named(p.main, "x");
  const ValueId one = rewriter.emit(ops::NonZero, {}, {x}, {}), two = rewriter.emit(ops::NonZero, {}, {x}, {});
  const auto size = [&](ValueId id) { return rewriter.value(id).type.shape->at(1).to_string(); };
  EXPECT_NE(size(one), size(two));
  EXPECT_NE(size(one), size(named(p.main, "a")));
  EXPECT_NE(size(two), size(named(p.main, "a")));
  // In place of another it is what that was.
  const std::string before = size(named(p.main, "a"));
  rewriter.replace(named(p.main, "a"), one);
  EXPECT_EQ(size(one), before);
  EXPECT_THROW(rewriter.replace(named(p.main, "b"), two), Error) << "of another type";
}

TEST(Rewriter, DropsOnlyWhatNobodyReads) {
  ModelBuilder m(18);
  m.input("x", "float[2]").node("Neg", {"x"}, {"a"}).node("Abs", {"a"}, {"y"}).node("Exp", {"a"}, {"z"}).output("y");
  Program p = lower(m.build(), {});
  Rewriter rewriter(p, p.main);
  EXPECT_THROW(rewriter.drop(0), Error);
  EXPECT_THROW(rewriter.fuse(std::vector<NodeId>{0, 1}), Error) << "the value between has two readers";
}

}  // namespace
}  // namespace norn::program
