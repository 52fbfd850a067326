#include "norn/check.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace norn {
namespace {

using nlohmann::json;

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> out;
  for (int v : values) out.push_back(static_cast<std::byte>(v));
  return out;
}

// ir_version 10 and an import of version 21; no graph.
std::vector<std::byte> without_graph() { return bytes({0x08, 10, 0x42, 4, 0x0a, 0, 0x10, 21}); }

bool reports(const Report& report, std::string_view rule) {
  for (const auto& d : report.diagnostics) {
    if (d.rule == rule) return true;
  }
  return false;
}

TEST(Check, TellsOfAModel) {
  const Report report = check(Model::parse(without_graph()));
  EXPECT_FALSE(report.ok());
  EXPECT_TRUE(reports(report, "model.graph.present"));
  EXPECT_EQ(report.count(Severity::Error), 1u);
}

TEST(Check, Notations) {
  Report report;
  report.path = "dir/a model.onnx";
  report.diagnostics.push_back({"graph.ssa", Severity::Error, "graph \"\xff\"", "written twice", "rename"});
  report.diagnostics.push_back({"graph.doc-string", Severity::Note, "", "no documentation", ""});
  report.dropped = 3;
  const std::string text = report.to_string();
  EXPECT_TRUE(text.starts_with("dir/a model.onnx: error[graph.ssa]: written twice\n  at: graph")) << text;
  EXPECT_TRUE(text.ends_with("dir/a model.onnx: 1 error, 0 warnings, 1 note; 3 more not kept\n")) << text;
  EXPECT_NE(text.find("no documentation"), std::string::npos);
  const std::string warnings = report.to_string(Severity::Warning);
  EXPECT_NE(warnings.find("written twice"), std::string::npos);
  EXPECT_EQ(warnings.find("no documentation"), std::string::npos);
  EXPECT_NE(warnings.find("1 note (not shown)"), std::string::npos) << warnings;

  const json plain = json::parse(report.to_json());
  EXPECT_EQ(plain["ok"], false);
  EXPECT_EQ(plain["errors"], 1);
  EXPECT_EQ(plain["dropped"], 3);
  EXPECT_EQ(plain["diagnostics"].size(), 2u);
  EXPECT_EQ(plain["diagnostics"][1]["severity"], "note");

  const json sarif = json::parse(report.to_sarif());
  EXPECT_EQ(sarif["version"], "2.1.0");
  const json& run = sarif["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["name"], "norn");
  EXPECT_EQ(run["tool"]["driver"]["rules"].size(), 2u);
  EXPECT_EQ(run["results"][0]["ruleId"], "graph.ssa");
  EXPECT_EQ(run["results"][0]["level"], "error");
  EXPECT_EQ(run["results"][0]["message"]["text"], "written twice (rename)");
  EXPECT_EQ(run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "dir/a%20model.onnx");
  for (const json& result : run["results"]) {
    EXPECT_EQ(run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()]["id"], result["ruleId"]);
  }
  EXPECT_EQ(Report{}.to_string(), "no findings\n");
  EXPECT_TRUE(Report{}.ok());
}

TEST(Check, Parts) {
  const OpsetImports kDefault21 = {{"", 21}};
  // op_type "Relu", input "x", output "y"
  const auto relu = bytes({0x0a, 1, 'x', 0x12, 1, 'y', 0x22, 4, 'R', 'e', 'l', 'u'});
  EXPECT_TRUE(check_part(PartKind::Node, relu, 10, kDefault21).diagnostics.empty());
  EXPECT_TRUE(reports(check_part(PartKind::Node, relu, 10, OpsetImports{{"com.example", 1}}), "node.domain.imported"));
  const auto two = bytes({0x0a, 1, 'x', 0x0a, 1, 'z', 0x12, 1, 'y', 0x22, 4, 'R', 'e', 'l', 'u'});
  EXPECT_TRUE(reports(check_part(PartKind::Node, two, 10, kDefault21), "node.inputs.count"));
  EXPECT_TRUE(reports(check_part(PartKind::Graph, {}, 10, kDefault21), "graph.name"));
  EXPECT_TRUE(reports(check_part(PartKind::Attribute, {}, 10, {}), "attr.name"));
  EXPECT_TRUE(reports(check_part(PartKind::Tensor, {}, 10, {}), "tensor.data-type.present"));
  EXPECT_TRUE(reports(check_part(PartKind::SparseTensor, {}, 10, {}), "sparse.values.present"));
  EXPECT_TRUE(reports(check_part(PartKind::ValueInfo, {}, 10, {}), "value.name"));
  EXPECT_TRUE(reports(check_part(PartKind::Function, {}, 10, {}), "function.name.present"));
  EXPECT_THROW(check_part(PartKind::Node, bytes({0x0a, 99}), 10, {}), Error);
}

TEST(Check, PartsUnderImportsThatAreNotKnownOrEmpty) {
  const auto relu = bytes({0x0a, 1, 'x', 0x12, 1, 'y', 0x22, 4, 'R', 'e', 'l', 'u'});
  EXPECT_TRUE(check_part(PartKind::Node, relu, 10, std::nullopt).diagnostics.empty());
  EXPECT_TRUE(reports(check_part(PartKind::Node, relu, 10, OpsetImports{}), "node.domain.imported"));
  // Version 1 of the default set is in force where a file could not say so.
  EXPECT_TRUE(check_part(PartKind::Node, relu, 2, OpsetImports{}).ok());
}

TEST(Check, RulesAreListed) {
  std::set<std::string_view> ids;
  std::size_t enforced = 0;
  for (const RuleInfo& rule : rules()) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_FALSE(rule.text.empty()) << rule.id;
    enforced += rule.not_checked.empty();
  }
  EXPECT_GT(enforced, 250u);
}

}  // namespace
}  // namespace norn
