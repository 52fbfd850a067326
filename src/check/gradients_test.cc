#include <sys/resource.h>

#include "check/sound_models_test.h"

namespace norn::checks {
namespace {

ir::Attribute names(const char* name, std::vector<std::string> values) {
  ir::Attribute a = attribute(name, ir::AttributeType::Strings);
  a.strings = std::move(values);
  return a;
}
// h = x + w, y = relu(h), and the gradient of y by xs at zs.
ir::Model with_gradient(std::vector<std::string> xs, std::vector<std::string> zs, const char* y = "y") {
  ir::Model m = sound();
  m.opset_import.push_back(import_of("ai.onnx.preview.training", 1));
  m.graph->node[0].output = {"h"};
  m.graph->node[1].input = {"h"};
  ir::Attribute of = attribute("y", ir::AttributeType::String);
  of.s = y;
  std::vector<std::string> inputs = xs, outputs;
  inputs.insert(inputs.end(), zs.begin(), zs.end());
  for (const std::string& x : xs) outputs.push_back("d_" + x);
  ir::Node gradient = node("Gradient", inputs, outputs, {names("xs", xs), of}, "ai.onnx.preview.training");
  if (!zs.empty()) gradient.attribute.push_back(names("zs", zs));
  m.graph->node.push_back(gradient);
  return m;
}
std::set<std::string> reported(const ir::Model& m) { return rules_in(run(m)); }

TEST(Gradients, XsAndZsAreTheMinimalIndependentSet) {
  expect_kept(run(with_gradient({"w"}, {"x"})), {"train.gradient.independent"});
  expect_kept(run(with_gradient({"x", "w"}, {})), {"train.gradient.independent"});
  expect_kept(run(with_gradient({"h"}, {})), {"train.gradient.independent"});  // back to h and no further
  expect_kept(run(with_gradient({"w"}, {})), {"train.gradient.independent"});  // x counts as a constant
  for (const ir::Model& m : {with_gradient({"w"}, {"h"}),         // h is computed from w, and leaves nothing to w
                             with_gradient({"w", "x"}, {}, "x"),  // y is an input
                             with_gradient({"y"}, {"w"}),         // nothing is left to w
                             with_gradient({"w"}, {"x", "w"}),    // twice
                             with_gradient({"w"}, {}, "nobody")}) {
    EXPECT_EQ(reported(m), std::set<std::string>{"train.gradient.independent"});
  }
  if (reported(with_gradient({"w"}, {"h"})).size() == 1) Coverage::broken().insert("train.gradient.independent");
}

// y depends on both, and one on the other: only independence is broken.
TEST(Gradients, OneComputedFromTheOther) {
  ir::Model m = with_gradient({"w"}, {"h"});
  m.graph->node[1] = node("Add", {"h", "w"}, {"y"});
  const Report report = run(m);
  ASSERT_EQ(rules_in(report), std::set<std::string>{"train.gradient.independent"});
  EXPECT_NE(report.diagnostics[0].message.find("\"h\" is computed from \"w\""), std::string::npos)
      << report.diagnostics[0].message;
  // Through a nested graph, which reads it by name.
  ir::Graph branch;
  branch.name = "branch";
  branch.output = {value("t")};
  branch.node = {node("Neg", {"w"}, {"t"})};
  ir::Graph other = branch;
  other.name = "other";
  m.graph->input.push_back(value("c", {}, 9));
  m.graph->node[0] =
      node("If", {"c"}, {"h"}, {graph_attribute("then_branch", branch), graph_attribute("else_branch", other)});
  EXPECT_EQ(rules_in(run(m)), std::set<std::string>{"train.gradient.independent"});
  m.graph->node[0].attribute[0].g->node[0].input = m.graph->node[0].attribute[1].g->node[0].input = {"x"};
  expect_kept(run(m), {"train.gradient.independent"});
}

// An algorithm's Gradient differentiates the main graph.
TEST(Gradients, OfTheMainGraphInAnAlgorithm) {
  const auto with = [](std::vector<std::string> xs, std::vector<std::string> zs) {
    ir::Model m = with_gradient(xs, zs);
    ir::Graph& step = m.training_info.emplace_back().algorithm.mut();
    step.name = "step";
    step.doc_string = "a step";
    step.node = {m.graph->node.back()};
    step.output = {value(step.node[0].output[0])};
    m.graph->node.pop_back();
    return m;
  };
  expect_kept(run(with({"w"}, {"x"})), {"train.gradient.independent"});
  EXPECT_EQ(reported(with({"w"}, {"h"})), std::set<std::string>{"train.gradient.independent"});
}

TEST(Gradients, LongChainsAndManyMembersCostOneLookEach) {
  ir::Model m = with_gradient({"x"}, {"w"});
  const ir::Node gradient = m.graph->node.back();
  m.graph->node.pop_back();
  std::vector<std::string> xs;
  for (int i = 0; i < 20'000; ++i) {
    const std::string before = i == 0 ? "y" : "v" + std::to_string(i - 1), now = "v" + std::to_string(i);
    m.graph->node.push_back(node("Relu", {before}, {now}));
    m.graph->node.push_back(node("ConstantOfShape", {"k"}, {"c" + std::to_string(i)}));
    xs.push_back("c" + std::to_string(i));
  }
  m.graph->initializer.push_back(tensor("k", {1}));
  std::vector<std::string> all = xs;
  all.push_back("v19999");
  m.graph->node.push_back(node("Sum", all, {"total"}));
  m.graph->node.push_back(gradient);
  m.graph->node.back().attribute = {names("xs", xs), names("zs", {"v19999"}), gradient.attribute[1]};
  m.graph->node.back().attribute[2].s = "total";
  m.graph->node.back().input = all;
  m.graph->node.back().output = {"d"};
  expect_kept(run(m), {"train.gradient.independent"});
}

// Very many graphs that each hold a Gradient: no one of them costs as much as the graph around it.
TEST(Gradients, ManyGraphsTakeNoMoreThanTheDocument) {
  ir::Model m = with_gradient({"w"}, {"x"});
  const ir::Node gradient = m.graph->node.back();
  m.graph->node.pop_back();
  m.graph->input.push_back(value("c", {}, 9));
  for (int i = 0; i < 3000; ++i) {
    const std::string n = std::to_string(i);
    ir::Graph with, without;
    with.name = "with" + n;
    with.node = {gradient};
    with.node[0].output = {"d" + n};
    with.output = {value("d" + n)};
    without.name = "without" + n;
    without.node = {node("Neg", {"w"}, {"e" + n})};
    without.output = {value("e" + n)};
    m.graph->node.push_back(
        node("If", {"c"}, {"i" + n}, {graph_attribute("then_branch", with), graph_attribute("else_branch", without)}));
  }
  const auto peak = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;  // MiB
  };
  const long before = peak();
  expect_kept(run(m), {"train.gradient.independent"});
  EXPECT_LT(peak() - before, 100);
}

// A node of many outputs that holds many reads is looked at once, not once for each output.
TEST(Gradients, OutputsOfOneNodeAreOneLook) {
  ir::Model m = with_gradient({"x"}, {"w"});
  ir::Node gradient = m.graph->node.back();
  m.graph->node.pop_back();
  m.graph->input.push_back(value("c", {}, 9));
  ir::Graph branches[2];
  std::vector<std::string> outputs;
  for (int i = 0; i < 10'000; ++i) {
    for (int b = 0; b < 2; ++b) {
      const std::string name = (b == 0 ? "t" : "e") + std::to_string(i);
      branches[b].node.push_back(node("Add", {"x", "w"}, {name}));
      branches[b].output.push_back(value(name));
    }
    outputs.push_back("o" + std::to_string(i));
  }
  branches[0].name = "then";
  branches[1].name = "else";
  m.graph->node.push_back(node("If", {"c"}, outputs, {graph_attribute("then_branch", branches[0])}));
  m.graph->node.back().attribute.push_back(graph_attribute("else_branch", branches[1]));
  m.graph->node.push_back(node("Sum", outputs, {"total"}));
  gradient.attribute[1].s = "total";
  m.graph->node.push_back(gradient);
  expect_kept(run(m), {"train.gradient.independent"});
}

}  // namespace
}  // namespace norn::checks
