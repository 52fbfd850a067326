// Tables of documents for tests of the areas: each breaks exactly the rule that its row names.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "check/rule_checks.h"
#include "norn/check.h"

namespace norn::checks {

// Runs one area over a document of the given IR version.
inline Report run_area(const std::function<void(Context&, const Place&)>& check, std::int64_t ir_version = 14,
                       const CheckOptions& options = {}, std::string base_dir = {}, const LoadOptions& loaded = {}) {
  Report report;
  Context ctx(options, ir_version, std::move(base_dir), report, loaded);
  const Place top{.kind = "document"};
  check(ctx, top);
  return report;
}

inline std::vector<std::string> rules_of(const Report& report) {
  std::vector<std::string> ids;
  for (const Diagnostic& d : report.diagnostics) ids.emplace_back(d.rule);
  return ids;
}

inline bool has_errors(const Report& report) {
  for (const Diagnostic& d : report.diagnostics) {
    if (d.severity == Severity::Error) return true;
  }
  return false;
}

// Which rules the tests broke, alone or beside those that break with them, and which they kept: documents that have in
// them what the rule is about, and give no finding. coverage_test.cc compares both with the table of rules.
struct Coverage {
  static std::set<std::string>& broken() {
    static std::set<std::string> rules;
    return rules;
  }
  static std::set<std::string>& kept() {
    static std::set<std::string> rules;
    return rules;
  }
};

// No finding, though the document has in it what these rules are about.
inline void expect_kept(const Report& report, const std::vector<std::string>& rules) {
  EXPECT_EQ(rules_of(report), std::vector<std::string>());
  if (report.diagnostics.empty()) Coverage::kept().insert(rules.begin(), rules.end());
}

// Exactly one finding, of this rule ("" for none), that says where and why.
inline void expect_only(const Report& report, const std::string& rule) {
  if (rule.empty()) {
    EXPECT_EQ(rules_of(report), std::vector<std::string>());
    return;
  }
  EXPECT_EQ(rules_of(report), std::vector<std::string>{rule});
  if (rules_of(report) == std::vector<std::string>{rule}) Coverage::broken().insert(rule);
  for (const Diagnostic& d : report.diagnostics) {
    EXPECT_FALSE(d.message.empty());
    EXPECT_EQ(d.where.find("document"), 0u) << d.where;
  }
}

}  // namespace norn::checks
