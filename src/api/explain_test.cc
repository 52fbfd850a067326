#include "norn/explain.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "norn/check.h"
#include "norn/session.h"

namespace norn {
namespace {

using nlohmann::json;

Model parsed(std::string_view text) {
  return Model::parse(std::as_bytes(std::span<const char>(text.data(), text.size())), Format::OnnxText);
}

constexpr const char* kFlow = R"(
<ir_version: 10, opset_import: ["" : 17]>
main (float[N] x, bool c) => (float[N] y, int64[1, M] late) {
  a = Sqrt (x)
  [flow] y = If (c) <
    then_branch = t () => (float[N] r) { r = Neg (a) },
    else_branch = e () => (float[N] s) { s = Abs (a) }>
  i = NonZero (x)
  late = Neg (i)
})";

TEST(Explain, FieldsAndPageTellTheSame) {
  const Session session(parsed(kFlow));
  const Explanation found = session.explain({}, 5);
  ASSERT_TRUE(found.runnable());
  const json fields = json::parse(found.to_json());
  EXPECT_EQ(fields["runnable"], true);
  const std::string page = found.to_string();
  ASSERT_EQ(fields["steps"].size(), found.graph.steps.size());
  bool body = false;
  for (std::size_t i = 0; i < found.graph.steps.size(); ++i) {
    const ExplainedStep& step = found.graph.steps[i];
    const json& explained = fields["steps"][i];
    EXPECT_EQ(explained["kernel"], step.kernel);
    EXPECT_EQ(explained["late"], step.late);
    EXPECT_EQ(explained["operations"][0]["op_type"], step.operations[0].op_type);
    EXPECT_NE(page.find(step.operations[0].path() + "\n"), std::string::npos) << page;
    if (step.graphs.empty()) continue;
    body = true;
    ASSERT_EQ(explained["graphs"].size(), 2u);
    EXPECT_EQ(explained["graphs"][0]["attribute"], "then_branch");
    EXPECT_EQ(explained["graphs"][0]["steps"][0]["outputs"][0]["shape"], json::array({5}));
    EXPECT_EQ(explained["graphs"][0]["steps"][0]["outputs"][0]["type"], "float");
    EXPECT_NE(page.find("     then_branch:\n       0  Neg  "), std::string::npos) << page;
  }
  EXPECT_TRUE(body);
  EXPECT_EQ(fields["waiting"].size(), 1u);
  EXPECT_EQ(fields["arena_bytes"], found.graph.arena_bytes);
}

constexpr const char* kUnrunnable = R"(
<ir_version: 10, opset_import: ["" : 17, "own" : 1]>
main (float[2] x) => (float[2] y) {
  [first] a = Frobnicate (x)
  [second] b = own.Call (a)
  [third] y = Relu (b)
}
<domain: "own", opset_import: ["" : 17]>
Call (x) => (y) { y = Gizmo (x) }
)";

TEST(Explain, NodesThatNothingRuns) {
  const Model model = parsed(kUnrunnable);
  EXPECT_THROW(Session{model}, Error);
  Explanation found;
  found.unrunnable = unrunnable_nodes(model);
  ASSERT_EQ(found.unrunnable.size(), 2u);
  EXPECT_EQ(found.unrunnable[0].op_type, "Frobnicate");
  EXPECT_EQ(found.unrunnable[0].reason, "unknown_operator");
  EXPECT_EQ(found.unrunnable[0].version, 17);
  EXPECT_EQ(found.unrunnable[1].where, "graph \"main\" / node 1 \"second\" (own.Call) / node 0 (Gizmo)");
  EXPECT_FALSE(found.runnable());
  const json fields = json::parse(found.to_json());
  EXPECT_EQ(fields["runnable"], false);
  EXPECT_FALSE(fields.contains("steps"));
  EXPECT_EQ(fields["unrunnable"][1]["op_type"], "Gizmo");
  const std::string page = found.to_string();
  EXPECT_NE(page.find(found.unrunnable[1].where), std::string::npos) << page;
  EXPECT_NE(page.find("2 nodes cannot be run"), std::string::npos) << page;
}

TEST(Explain, TheProfileRuntimeReportsThem) {
  const Model model = parsed(kUnrunnable);
  CheckOptions options;
  const auto of_runtime = [&] {
    std::vector<std::string> places;
    for (const Diagnostic& d : check(model, options).diagnostics) {
      if (d.rule != "norn.operator.runnable") continue;
      EXPECT_EQ(d.severity, Severity::Error);
      places.push_back(d.where);
    }
    return places;
  };
  EXPECT_TRUE(of_runtime().empty());
  options.profile = Profile::Runtime;
  std::vector<std::string> expected;
  for (const UnrunnableNode& node : unrunnable_nodes(model)) expected.push_back(node.where);
  EXPECT_EQ(of_runtime(), expected);
  EXPECT_FALSE(check(model, options).ok());
  EXPECT_EQ(check(parsed(kFlow), options).count(Severity::Error), 0u);
}

}  // namespace
}  // namespace norn
