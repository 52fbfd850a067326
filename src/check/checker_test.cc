// The walk as a whole: sound models, severities, places, bounds. What each rule tells is tested with its area.
#include "base/parallel.h"
#include "check/sound_models_test.h"

namespace norn::checks {
namespace {

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

// Large graphs are looked at by two threads; findings and their order are the same as with one.
TEST(Checker, AnyNumberOfThreadsFindsTheSame) {
  ir::Model m = sound();
  auto& nodes = m.graph->node;
  nodes.clear();
  for (int i = 0; i < 6000; ++i) {
    const std::string number = std::to_string(i);
    nodes.push_back(node("Abs", {i == 0 ? "x" : "v" + std::to_string(i - 1)}, {i == 5999 ? "y" : "v" + number}));
    nodes.back().name = "n" + number;
  }
  nodes[5000].name = nodes[5900].name = "n17";
  nodes[3000].output.push_back("too:many");
  nodes[3001].input[0] = "nowhere";
  nodes[4321].op_type = "Absolute";
  std::string one;  // thread's findings
  for (const int width : {1, 0}) {
    base::ParallelWidth threads(width);
    const Report report = run(m);
    EXPECT_EQ(rules_of(report), (std::vector<std::string>{"node.outputs.count", "node.input.defined", "op.declared",
                                                          "name.ns.node", "name.ns.node", "name.c90"}));
    std::string all;
    for (const Diagnostic& d : report.diagnostics) all += d.where + ": " + d.message + "\n";
    if (width == 1) one = all;
    else EXPECT_EQ(all, one);
  }
  EXPECT_NE(one.find("node 5000"), std::string::npos) << one;
  EXPECT_NE(one.find("node 5900"), std::string::npos) << one;
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

// With a node at the bottom, and with bodies that do nothing but call: those cost time as well.
void expect_doubling_refused(bool empty) {
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
    if (empty && i == 0) {
      f.node.clear();
      f.output = {"a"};
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
TEST(Checker, DoublingFunctionsAreRefusedInLinearTime) {
  expect_doubling_refused(false);
  expect_doubling_refused(true);
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
