// Rules that need types: each model breaks one of them, and is sound without the change.
#include "check/sound_models_test.h"
#include "infer/document.h"
#include "opset/domains.h"
#include "opset/registry.h"

namespace norn::checks {
namespace {

Report typed(const ir::Model& model) {
  Report report;
  const CheckOptions options;
  Context ctx(options, model.ir_version.get(), {}, report);
  check_model(ctx, {}, model);
  check_inference(ctx, model, infer::DocumentOptions{});
  return report;
}

std::string texts(const Report& report) {
  std::string all;
  for (const Diagnostic& d : report.diagnostics) ((((all += d.rule) += ": ") += d.message) += " at ") += d.where + "\n";
  return all;
}

void expect_typed(const std::vector<RuleCase>& cases) {
  for (const RuleCase& c : cases) {
    SCOPED_TRACE(c.rule);
    ir::Model kept = base_of(c.base, c.ir_version), broken = kept;
    if (c.keeps) c.keeps(kept);
    expect_kept(typed(kept), {c.rule});
    c.breaks(broken);
    const Report report = typed(broken);
    EXPECT_EQ(rules_in(report), std::set<std::string>{c.rule}) << texts(report);
    if (rules_in(report) == std::set<std::string>{c.rule}) Coverage::broken().insert(c.rule);
    for (const Diagnostic& d : report.diagnostics) EXPECT_EQ(d.where.find("graph \"main\" / "), 0u) << d.where;
  }
}

void make_optional(ir::ValueInfo& info) {
  ir::Type of = *info.type;
  info.type.clear();
  info.type.mut().optional_type.mut().elem_type = std::move(of);
}

TEST(Inference, RulesThatNeedTypes) {
  const auto strings = [](ir::Model& m) {
    m.graph->input[0] = value("x", {2, 3}, 8);
    m.graph->node[0] = node("Identity", {"x"}, {"s"});
    m.graph->initializer.clear();
    m.graph->output[0] = value("y", {2, 3}, 8);
  };
  expect_typed({
      {"node.inputs.types", 10, kPlain, strings,
       [&](auto& m) {
         strings(m);
         second(m).op_type = "Identity";
       }},
      {"node.inputs.type-var-consistent", 10, kPlain, [](auto& m) { m.graph->input[0] = value("x", {2, 3}, 7); }},
      {"node.optional.dynamic-convert", 10, kPlain,
       [](auto& m) {
         make_optional(m.graph->input[0]);
         m.graph->node[0] = node("Identity", {"x"}, {"s"});
         m.graph->initializer.clear();
       }},
      {"infer.merge.elem-conflict", 10, kPlain, [](auto& m) { m.graph->output[0] = value("y", {2, 3}, 7); }},
      {"infer.merge.value-conflict", 10, kPlain, [](auto& m) { m.graph->output[0] = value("y", {2, 4}); }},
      {"infer.merge.value-conflict", 10, kPlain, [](auto& m) { m.graph->value_info = {value("s", {6})}; },
       [](auto& m) { m.graph->value_info = {value("s", {2, 3})}; }},
      {"infer.node.shapes", 10, kPlain, [](auto& m) { m.graph->initializer[0] = tensor("w", {4, 3}); }},
      {"infer.node.shapes", 10, kLoop,
       [](auto& m) {
         loop_body(m).node[1] = node("Shape", {"a"}, {"b"});
         loop_body(m).output[1] = value("b", {2}, 7);
       }},
  });
}

// A Cast to a type that its version does not give.
TEST(Inference, OutputTypes) {
  ir::Model m = sound(10);
  m.graph->node[0] = node("Cast", {"x"}, {"s"}, {int_attribute("to", 14)});
  m.graph->node[1] = node("Identity", {"s"}, {"y"});
  m.graph->initializer.clear();
  m.graph->output[0] = value("y", {2, 3}, 14);
  const Report report = typed(m);
  EXPECT_EQ(rules_in(report), std::set<std::string>{"node.outputs.types"}) << texts(report);
  Coverage::broken().insert("node.outputs.types");
  m.graph->node[0].attribute[0].i = 11;
  m.graph->output[0] = value("y", {2, 3}, 11);
  expect_kept(typed(m), {"node.outputs.types"});
}

TEST(Inference, OperatorsWithoutInferenceAreCountedOnce) {
  expect_kept(typed(sound()), {"infer.complete"});
  for (const opset::Operator* op : opset::all_operators()) {
    const opset::Schema& newest = op->history.back();
    const bool of_microsoft = op->domain == opset::kMicrosoftDomain;
    if (op->infer || newest.deprecated || (!op->domain.empty() && !of_microsoft) || op->history.front().since > 21)
      continue;
    ir::Model m = sound();
    if (of_microsoft) m.opset_import.push_back(import_of("com.microsoft", 1));
    ir::Node n = node(std::string(op->name), {}, {"z"});
    n.domain = std::string(op->domain);
    for (int i = 0; i < opset::min_inputs(newest); ++i) n.input.push_back("unknown");
    m.graph->node.push_back(n);
    m.graph->node.push_back(n);
    m.graph->node.back().output = {"z2"};
    Report report;
    const CheckOptions options;
    Context ctx(options, 10, {}, report);
    check_inference(ctx, m, infer::DocumentOptions{});
    ASSERT_LE(report.diagnostics.size(), 1u) << texts(report);
    if (report.diagnostics.empty()) continue;  // its attributes are wrong, say
    EXPECT_EQ(report.diagnostics[0].rule, "infer.complete");
    EXPECT_EQ(report.diagnostics[0].severity, Severity::Note);
    EXPECT_NE(report.diagnostics[0].message.find("2 nodes"), std::string::npos) << texts(report);
    Coverage::broken().insert("infer.complete");
  }
}

// What holds for some values of the variables only is a warning.
TEST(Inference, VariablesOfTwoSizes) {
  ir::Model m = sound(10);
  m.graph->input[0] = value("x", {2, 3});
  m.graph->input[0].type->tensor_type->shape->dim[1].dim_value.clear();
  m.graph->input[0].type->tensor_type->shape->dim[1].dim_param = "N";
  m.graph->initializer = {tensor("w", {3, 4}), tensor("v", {5, 4})};
  m.graph->node = {node("MatMul", {"x", "w"}, {"s"}), node("MatMul", {"x", "v"}, {"t"}),
                   node("Add", {"s", "t"}, {"y"})};
  m.graph->output[0] = value("y", {2, 4});
  const Report report = typed(m);
  ASSERT_EQ(report.diagnostics.size(), 1u) << texts(report);
  EXPECT_EQ(report.diagnostics[0].severity, Severity::Warning);
  EXPECT_NE(report.diagnostics[0].message.find("N is 3 by graph \"main\" / node 0 (MatMul)"), std::string::npos)
      << texts(report);
}

}  // namespace
}  // namespace norn::checks
