// When all tests have run: that every rule which norn::check reports was broken by some document and kept by another.
// Rules that it does not report are printed, with the reason.
#include <algorithm>
#include <cstdio>

#include "check/area_test.h"

namespace norn::checks {
namespace {

class EveryRule : public ::testing::Environment {
 public:
  void TearDown() override {
    const auto& tests = *::testing::UnitTest::GetInstance();
    if (tests.test_to_run_count() != tests.total_test_count() || tests.Failed()) return;
    for (const RuleRow& row : kRuleRows) {
      const std::string id(row.id);
      // Told while a document is read, not by the walk.
      const bool of_operator_sets = row.id.starts_with("opsetdoc.");
      if (!row.not_checked.empty() && !of_operator_sets) {
        std::printf("%s: %.*s\n", id.c_str(), static_cast<int>(row.not_checked.size()), row.not_checked.data());
        EXPECT_FALSE(Coverage::broken().contains(id)) << id << " is listed as not checked";
        continue;
      }
      if (row.level == kNorn) continue;  // what runs is above this room: api/check_test.cc
      EXPECT_TRUE(Coverage::broken().contains(id)) << id << ": no document breaks it alone";
      EXPECT_TRUE(Coverage::kept().contains(id)) << id << ": no document keeps it";
    }
    for (const auto* seen : {&Coverage::broken(), &Coverage::kept()}) {
      for (const std::string& id : *seen) {
        EXPECT_TRUE(std::any_of(std::begin(kRuleRows), std::end(kRuleRows), [&](const auto& r) { return r.id == id; }))
            << id << " is not a rule";
      }
    }
  }
};

const auto* const kEveryRule = ::testing::AddGlobalTestEnvironment(new EveryRule);

}  // namespace
}  // namespace norn::checks
