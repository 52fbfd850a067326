#include "check/opset_document.h"

#include "check/area_test.h"
#include "opset/registry.h"

namespace norn::checks {
namespace {

using Rules = std::vector<std::string_view>;

ir::OperatorSet sound() {
  ir::OperatorSet set;
  set.magic = "ONNXOPSET";
  set.ir_version = 8;
  set.domain = "com.acme.ops";
  set.opset_version = 3;
  for (const char* name : {"Add", "add"}) {  // two operators: names are case-sensitive
    ir::Operator& op = set.operators.emplace_back();
    op.op_type = name;
    op.since_version = 2;
    op.status = ir::kStatusStable;
  }
  ir::Function& f = set.functions.emplace_back();
  f.name = "Twice";
  f.domain = "com.acme.ops";
  f.input = {"x"};
  f.output = {"y"};
  return set;
}

Rules found_in(const Report& report) {
  Rules rules;
  for (const Diagnostic& d : report.diagnostics) {
    EXPECT_FALSE(d.message.empty());
    rules.push_back(d.rule);
  }
  if (rules.size() == 1) Coverage::broken().emplace(rules[0]);
  return rules;
}
void expect_sound(const Rules& found, const std::vector<std::string>& about) {
  EXPECT_EQ(found, Rules{});
  if (found.empty()) Coverage::kept().insert(about.begin(), about.end());
}
template <class Change>
Rules broken(Change&& change) {
  ir::OperatorSet set = sound();
  change(set);
  Report report;
  check_opset_document(set, report);
  return found_in(report);
}
Rules broken_together(const ir::OperatorSet& a, const ir::OperatorSet& b) {
  const ir::OperatorSet* sets[] = {&a, &b};
  Report report;
  check_opset_documents(sets, report);
  return found_in(report);
}

TEST(OpsetDocument, SoundOne) {
  expect_sound(broken([](auto&) {}),
               {"opsetdoc.magic", "opsetdoc.ir-version", "opsetdoc.separate", "opsetdoc.domain.reverse-dns",
                "opsetdoc.since-bound", "opsetdoc.operator.type-present", "opsetdoc.operator.since-present",
                "opsetdoc.operator.status", "opsetdoc.operator.unique-type"});
  EXPECT_EQ(broken([](auto& s) { s.operators[0].status.clear(); }), Rules{});  // experimental
  expect_sound(broken([](auto& s) {
                 s.functions.push_back(s.functions[0]);
                 s.functions[1].overload = "v";  // another function by that
               }),
               {"opsetdoc.operator.unique"});
  EXPECT_EQ(broken([](auto& s) { s.functions.clear(); }), Rules{});
  EXPECT_EQ(broken([](auto& s) { s.ir_version_prerelease = "rc1"; }), Rules{});
}

TEST(OpsetDocument, EveryRule) {
  EXPECT_EQ(broken([](auto& s) { s.magic.clear(); }), Rules{"opsetdoc.magic"});
  EXPECT_EQ(broken([](auto& s) { s.magic = "onnxopset"; }), Rules{"opsetdoc.magic"});
  EXPECT_EQ(broken([](auto& s) { s.ir_version.clear(); }), Rules{"opsetdoc.ir-version"});
  EXPECT_EQ(broken([](auto& s) { s.ir_version = 99; }), Rules{"opsetdoc.ir-version"});
  EXPECT_EQ(broken([](auto& s) { s.opset_version.clear(); }), Rules{"opsetdoc.since-bound"});
  EXPECT_EQ(broken([](auto& s) { s.operators[1].since_version = 4; }), Rules{"opsetdoc.since-bound"});
  EXPECT_EQ(broken([](auto& s) { s.operators[1].since_version.clear(); }), Rules{"opsetdoc.operator.since-present"});
  EXPECT_EQ(broken([](auto& s) { s.operators[1].since_version = -1; }), Rules{"opsetdoc.operator.since-present"});
  EXPECT_EQ(broken([](auto& s) { s.operators[1].op_type.clear(); }), Rules{"opsetdoc.operator.type-present"});
  EXPECT_EQ(broken([](auto& s) { s.functions[0].name.clear(); }), Rules{"opsetdoc.operator.type-present"});
  EXPECT_EQ(broken([](auto& s) { s.operators[1].status = 7; }), Rules{"opsetdoc.operator.status"});
  EXPECT_EQ(broken([](auto& s) { s.operators.push_back(s.operators[0]); }), Rules{"opsetdoc.operator.unique"});
  EXPECT_EQ(broken([](auto& s) { s.functions.push_back(s.functions[0]); }), Rules{"opsetdoc.operator.unique"});
  EXPECT_EQ(broken([](auto& s) {
              s.operators[0].op_type = "Twice";
              s.operators[0].since_version = 3;
            }),
            Rules{"opsetdoc.operator.unique"});
  EXPECT_EQ(broken([](auto& s) { s.operators[1].op_type = "Add", s.operators[1].since_version = 1; }),
            Rules{"opsetdoc.operator.unique-type"});
  EXPECT_EQ(broken([](auto& s) { s.domain = "x", s.functions[0].domain = "x"; }), Rules{"opsetdoc.domain.reverse-dns"});
  EXPECT_EQ(broken([](auto& s) { s.functions[0].domain = "org.other"; }), Rules{"opsetdoc.separate"});
}

TEST(OpsetDocument, BuiltInDomains) {
  const auto only = [](const char* name, std::int64_t since) {
    return [=](ir::OperatorSet& s) {
      s.domain.clear();
      s.opset_version = 13;
      s.functions.clear();
      s.operators.resize(1);
      s.operators[0].op_type = name;
      s.operators[0].since_version = since;
    };
  };
  expect_sound(broken(only("Add", 7)),
               {"opsetdoc.domain.required", "opsetdoc.domain.unique", "opsetdoc.operator.since-first"});
  EXPECT_EQ(broken(only("Add", 8)), Rules{"opsetdoc.operator.since-first"});
  EXPECT_EQ(broken(only("Add", 14)), Rules{"opsetdoc.since-bound"});
  EXPECT_EQ(broken(only("Frobnicate", 1)), Rules{"opsetdoc.domain.required"});
  EXPECT_EQ(broken([&](auto& s) { only("Frobnicate", 1)(s), s.domain = "ai.onnx"; }), Rules{"opsetdoc.domain.unique"});
}

TEST(OpsetDocument, Severities) {
  ir::OperatorSet set = sound();
  set.domain = "x";
  set.operators[0].status = 7;
  Report report;
  check_opset_document(set, report);
  for (const Diagnostic& d : report.diagnostics) {
    EXPECT_EQ(d.severity, d.rule == "opsetdoc.operator.status" ? Severity::Error : Severity::Warning) << d.rule;
  }
}

TEST(OpsetDocument, Together) {
  const ir::OperatorSet a = sound();
  EXPECT_EQ(broken_together(a, a), Rules{});
  ir::OperatorSet b = a;
  b.doc_string = "another";
  EXPECT_EQ(broken_together(a, b), Rules{"opsetdoc.domain.unique"});
  b.domain = "com.acme.more";
  EXPECT_EQ(broken_together(a, b), Rules{});

  ir::OperatorSet next = a;  // the next version: its function is of that version, and its own
  next.opset_version = 4;
  next.operators[1].doc_string = "texts may change";
  expect_sound(broken_together(next, a), {"opsetdoc.operator.stable-frozen"});
  next.operators[0].status = ir::kStatusExperimental;
  EXPECT_EQ(broken_together(a, next), Rules{"opsetdoc.operator.stable-frozen"});
  next = a;
  next.opset_version = 4;
  next.operators.emplace_back().op_type = "Late";
  next.operators.back().since_version = 3;
  EXPECT_EQ(broken_together(a, next), Rules{"opsetdoc.operator.since-first"});
  next.operators.back().since_version = 4;
  EXPECT_EQ(broken_together(a, next), Rules{});

  // A function that states its version, as early ones do, must not change within it.
  const auto since_two = [] { return ir::Bytes(std::vector<std::byte>{std::byte{0x10}, std::byte{2}}); };
  ir::OperatorSet early = a;
  early.functions[0].unknown = since_two();
  next = early;
  next.opset_version = 4;
  EXPECT_EQ(broken_together(early, next), Rules{});
  next.functions[0].node.emplace_back().op_type = "Neg";
  EXPECT_EQ(broken_together(early, next), Rules{"opsetdoc.operator.stable-frozen"});
}

}  // namespace
}  // namespace norn::checks
