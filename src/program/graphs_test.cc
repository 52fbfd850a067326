// Programs of several graphs over one table of states.
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
using ops::test::doubles;
using ops::test::tensor;

// Lowers the model with "w" as a state.
Program with_state(ModelBuilder& m) {
  ir::TrainingInfo training;
  ir::StringStringEntry binding;
  binding.key = std::string("w");
  binding.value = std::string("new");
  training.update_binding.push_back(binding);
  m.document().training_info.push_back(training);
  LowerOptions keep;
  keep.keep_state = true;
  return lower(m.build(), keep);
}

// y = relu(x * w); a step makes w - 2 g of it, if c says so, and it starts as 3, 3.
Program trained() {
  ModelBuilder main(18), step(18), start(18);
  main.input("x", "float[N,2]").initializer("w", tensor<float>({2}, {1, 2}));
  main.node("Mul", {"x", "w"}, {"p"}).node("Relu", {"p"}, {"y"}).output("y");
  GraphBuilder yes("yes"), no("no");
  yes.node("Sub", {"w", "less"}, {"t"}).output("t");
  no.node("Identity", {"w"}, {"e"}).output("e");
  step.input("c", "bool[]").input("g", "float[2]").initializer("w", tensor<float>({2}, {1, 2}));
  step.initializer("one", tensor<float>({1}, {1})).node("Add", {"one", "one"}, {"two"});
  step.node("Mul", {"g", "two"}, {"l"}).node("Identity", {"l"}, {"less"});
  step.node("If", {"c"}, {"new"}, {graph_attr("then_branch", yes.graph()), graph_attr("else_branch", no.graph())});
  step.output("new");
  start.initializer("three", tensor<float>({2}, {3, 3})).node("Identity", {"three"}, {"first"}).output("first");
  Program p = with_state(main), s = with_state(step), i = lower(start.build(), {});
  p.graphs["step"].graph = std::move(s.main);
  p.graphs["step"].updates = {{0, 0}};
  p.graphs[std::string(kInitialize)].graph = std::move(i.main);
  p.graphs[std::string(kInitialize)].updates = {{0, 0}};
  p.fresh_dims = std::max(p.fresh_dims, s.fresh_dims);
  return p;
}

TEST(Graphs, PassesVerifyAndWritingCoverAll) {
  Program p = trained();
  verify(p);
  ASSERT_EQ(p.states.size(), 1u);
  EXPECT_EQ(doubles(p.states[0].initial), (std::vector<double>{1, 2}));
  run_passes(p, {}, [](const Pass&, const Program& behind) { verify(behind); });
  EXPECT_EQ(describe_operations(p.main.nodes[0]), "Mul+Relu");
  const Graph& step = p.graphs["step"].graph;
  ASSERT_EQ(step.nodes.size(), 2u);
  EXPECT_EQ(describe_operations(step.nodes[0]), "Mul");
  EXPECT_TRUE(step.nodes[1].subgraphs[1].graph->nodes.empty()) << "an Identity";
  EXPECT_TRUE(p.graphs[std::string(kInitialize)].graph.nodes.empty()) << "a constant";

  const ir::Model written = to_model(p);
  ASSERT_EQ(written.training_info.size(), 1u);
  const ir::TrainingInfo& training = written.training_info[0];
  ASSERT_EQ(written.graph->initializer.size(), 1u);
  EXPECT_EQ(written.graph->initializer[0].name.get(), "w");
  EXPECT_EQ(training.algorithm->initializer.size(), 1u) << "the state is the main graph's; 2 is its own";
  ASSERT_EQ(training.update_binding.size(), 1u);
  EXPECT_EQ(training.update_binding[0].key.get(), "w");
  EXPECT_EQ(training.update_binding[0].value.get(), training.algorithm->output[0].name.get());
  ASSERT_EQ(training.initialization_binding.size(), 1u);
  EXPECT_EQ(training.initialization_binding[0].value.get(), training.initialization->output[0].name.get());
  LowerOptions keep;
  keep.keep_state = true;
  const Program again = lower(written, keep);
  ASSERT_EQ(again.states.size(), 1u);
  EXPECT_EQ(again.states[0].name, "w");
}

TEST(Graphs, ClonesShareNothing) {
  Program p = trained();
  Program q = clone(p);
  run_passes(q, {});
  Graph& branch = *q.graphs["step"].graph.nodes.back().subgraphs[0].graph;
  branch.nodes.clear();
  branch.outputs[0] = branch.captures[0].inner;
  q.states[0].name = "other";
  verify(p);
  EXPECT_EQ(p.states[0].name, "w");
  EXPECT_EQ(p.main.nodes.size(), 2u);
  EXPECT_EQ(p.graphs["step"].graph.nodes.size(), 4u);
  EXPECT_EQ(p.graphs["step"].graph.nodes[3].subgraphs[0].graph->nodes.size(), 1u);
  const Program r = clone(q);
  verify(r);
  EXPECT_EQ(r.main.nodes[0].parts.size(), 1u);
}

TEST(Graphs, StatesAndUpdatesFit) {
  const auto why = [](auto&& how) {
    Program p = trained();
    how(p);
    try {
      verify(p);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(why([](Program& p) { p.states.clear(); }).find("a state that is not there"), std::string::npos);
  EXPECT_NE(why([](Program& p) { p.states[0].type.elem = DataType::Double; }).find("state"), std::string::npos);
  EXPECT_NE(why([](Program& p) { p.graphs["step"].updates[0].output = 1; }).find("not there"), std::string::npos);
  EXPECT_NE(why([](Program& p) { p.graphs["step"].updates.push_back({0, 0}); }).find("twice"), std::string::npos);
}

}  // namespace
}  // namespace norn::program
