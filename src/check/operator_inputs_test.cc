#include "check/sound_models_test.h"

namespace norn::checks {
namespace {

using Words = std::vector<std::string>;

ir::ValueInfo denoted(const std::string& name, const Words& words) {
  ir::ValueInfo info = value(name, std::vector<std::int64_t>(words.size(), 4));
  for (std::size_t d = 0; d < words.size(); ++d) {
    if (!words[d].empty()) info.type->tensor_type->shape->dim[d].denotation = words[d];
  }
  return info;
}
// y = op(x, w) over images that are denoted.
Change with_operator(const char* op, const Words& x, const Words& w = {}) {
  return [=](ir::Model& m) {
    m.graph->input[0] = denoted("x", x);
    m.graph->output[0] = value("y", {4, 4, 4, 4});
    if (!w.empty()) m.graph->value_info = {denoted("k", w)};
    m.graph->node = {node("Identity", {"w"}, {"k"}), node(op, {"x", "k"}, {"y"})};
    if (w.empty()) m.graph->node[1].input.pop_back();
    if (std::string_view(op) != "AveragePool") return;
    m.graph->node[1].attribute = {attribute("kernel_shape", ir::AttributeType::Ints)};
    m.graph->node[1].attribute[0].ints = {2, 2};
  };
}

TEST(OperatorInputs, DimensionsAreDenotedAsTheOperatorTakesThem) {
  const Words nchw = {"DATA_BATCH", "DATA_CHANNEL", "DATA_FEATURE", "DATA_FEATURE"};
  const Words nhwc = {"DATA_BATCH", "DATA_FEATURE", "DATA_FEATURE", "DATA_CHANNEL"};
  const Words oihw = {"FILTER_OUT_CHANNEL", "FILTER_IN_CHANNEL", "FILTER_SPATIAL", "FILTER_SPATIAL"};
  const Words iohw = {"FILTER_IN_CHANNEL", "FILTER_OUT_CHANNEL", "FILTER_SPATIAL", "FILTER_SPATIAL"};
  expect_cases({
      {"denotation.dim.verify", 10, kPlain, with_operator("AveragePool", nhwc), with_operator("AveragePool", nchw)},
      {"denotation.dim.verify", 10, kPlain, with_operator("Conv", nhwc, oihw), with_operator("Conv", nchw, oihw)},
      {"denotation.dim.verify", 10, kPlain, with_operator("Conv", nchw, iohw),
       with_operator("ConvTranspose", nchw, iohw)},
      {"denotation.dim.verify", 10, kPlain, with_operator("ConvTranspose", nchw, oihw),
       with_operator("Conv", {"DATA_BATCH", "", "DATA_TIME", ""}, {"", "", "FILTER_SPATIAL", ""})},
      {"denotation.dim.verify", 10, kPlain, with_operator("GlobalMaxPool", {"", "", "", "DATA_CHANNEL"}),
       with_operator("Relu", nhwc)},  // takes any
  });
}

// The enclosing graph's declaration counts where the inner graph has none.
TEST(OperatorInputs, DenotedInAnEnclosingGraph) {
  ir::Model m = with_if();
  m.graph->input[0] = denoted("x", {"DATA_FEATURE", "DATA_BATCH", ""});
  m.graph->node[0] = node("Identity", {"w"}, {"s"});
  then_branch(m).node[0].op_type = "GlobalAveragePool";
  EXPECT_EQ(rules_in(run(m)), std::set<std::string>{"denotation.dim.verify"});
}

TEST(OperatorInputs, ConditionsHaveOneElement) {
  const auto condition = [](std::vector<std::int64_t> dims, bool open = false) {
    return [=](ir::Model& m) {
      m.graph->input.back() = value("c", dims, 9);
      if (open) m.graph->input.back().type->tensor_type->shape->dim.emplace_back();
    };
  };
  expect_cases({
      {"exec.if.scalar-cond", 10, kIf, condition({2})},
      {"exec.if.scalar-cond", 10, kIf, condition({1, 0}), condition({1, 1})},
      {"exec.if.scalar-cond", 10, kIf, condition({3}, true), condition({1}, true)},
  });
  const auto constant = [](std::vector<std::int64_t> dims) {
    return [=](ir::Model& m) {
      m.graph->input.pop_back();
      m.graph->initializer.push_back(tensor("c", dims));
    };
  };
  const auto computed = [](ir::Attribute a) {
    return [=](ir::Model& m) {
      m.graph->input.pop_back();
      m.graph->node[0] = node("Constant", {}, {"c"}, {a});
    };
  };
  const auto whole = [](std::vector<std::int64_t> dims) {
    ir::Attribute a = attribute("value", ir::AttributeType::Tensor);
    a.t = tensor("", dims);
    return a;
  };
  const auto list = [](std::vector<std::int64_t> numbers) {
    ir::Attribute a = attribute("value_ints", ir::AttributeType::Ints);
    a.ints = numbers;
    return a;
  };
  expect_cases({
      {"exec.if.scalar-cond", 10, kIf, constant({2}), constant({})},
      {"exec.if.scalar-cond", 10, kIf, constant({1, 3}), constant({1, 1})},
      {"exec.if.scalar-cond", 10, kIf, computed(whole({2})), computed(whole({1}))},
      {"exec.if.scalar-cond", 10, kIf, computed(list({1, 0})), computed(list({1}))},
  });
}

// A declaration that another value of the name hides says nothing of it, even where the inner one has no type.
TEST(OperatorInputs, HiddenDeclarations) {
  ir::Model m = with_if();
  m.graph->input.back() = value("c", {5}, 9);
  ir::Attribute branches[] = {m.graph->node[1].attribute[0], m.graph->node[1].attribute[1]};
  ir::Model loop = with_loop();
  loop.graph->input.push_back(value("c", {5}, 9));
  ir::Graph& body = loop_body(loop);
  body.input[1] = {};
  body.input[1].name = "c";
  body.node = {node("Identity", {"c"}, {"go_on"}), node("If", {"c"}, {"b"}, {branches[0], branches[1]})};
  EXPECT_EQ(rules_in(run(loop)), std::set<std::string>{"name.scope.no-shadow-input"});
  body.input[1].name = "go";
  body.node[0].input = {"go"};
  EXPECT_EQ(rules_in(run(loop)), std::set<std::string>{"exec.if.scalar-cond"});

  loop = with_loop();
  loop.graph->input[0] = denoted("x", {"DATA_FEATURE", "DATA_BATCH", ""});
  loop_body(loop).input[2] = {};
  loop_body(loop).input[2].name = "x";
  loop_body(loop).node[1] = node("GlobalAveragePool", {"x"}, {"b"});
  EXPECT_EQ(rules_in(run(loop)), std::set<std::string>{"name.scope.no-shadow-input"});
}

}  // namespace
}  // namespace norn::checks
