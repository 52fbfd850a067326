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
  f.node.emplace_back().op_type = "Identity";
  f.node[0].input = {"x"};
  f.node[0].output = {"y"};
  f.opset_import.emplace_back().domain = "";
  f.opset_import[0].version = 17;
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
                 s.ir_version = 10;
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

// As those of a model's functions, with the document's own operators and functions at hand.
TEST(OpsetDocument, Bodies) {
  const auto body = [](auto change) {
    return [=](ir::OperatorSet& s) {
      ir::Function& f = s.functions[0];
      ir::OperatorSetId own;
      own.domain = s.domain.get();
      own.version = s.opset_version.get();
      f.opset_import.push_back(own);
      f.node[0].domain = s.domain.get();
      change(s, f, f.node[0]);
    };
  };
  const auto calls = [&](const char* name) { return body([=](auto&, auto&, ir::Node& n) { n.op_type = name; }); };
  EXPECT_EQ(broken(calls("add")), Rules{});
  EXPECT_EQ(broken(calls("ADD")), Rules{"op.declared"});
  EXPECT_EQ(broken(calls("Twice")), Rules{"function.no-recursion"});
  EXPECT_EQ(broken([&](auto& s) { calls("Twice")(s), s.functions[0].domain.clear(); }), Rules{"function.no-recursion"});
  EXPECT_EQ(broken([&](auto& s) {
              calls("Again")(s);
              s.functions.push_back(s.functions[0]);
              s.functions[1].name = "Again";
              s.functions[1].node[0].op_type = "Twice";
            }),
            Rules{"function.no-recursion"});
  EXPECT_EQ(broken(body([](auto& s, auto&, ir::Node& n) {
              n.op_type = "Once";
              n.output.push_back("z");
              s.functions.push_back(sound().functions[0]);
              s.functions[1].name = "Once";
            })),
            Rules{"function.call.arity"});
  EXPECT_EQ(broken([](auto& s) { s.functions[0].node[0].op_type = "Identty"; }), Rules{"op.declared"});
  EXPECT_EQ(broken([](auto& s) { s.functions[0].node[0].input = {"q"}; }), Rules{"function.body.closed"});
  EXPECT_EQ(broken([](auto& s) { s.functions[0].output = {"q"}; }), Rules{"function.output.defined"});
  EXPECT_EQ(broken([](auto& s) { s.functions[0].opset_import.clear(); }), Rules{"function.opset.import"});
  EXPECT_EQ(broken([](auto& s) {  // an attribute without documentation, which is a note about models
              ir::Node& n = s.functions[0].node[0];
              n.op_type = "LeakyRelu";
              n.attribute.emplace_back().name = "alpha";
              n.attribute[0].type = static_cast<std::int32_t>(ir::AttributeType::Float);
              n.attribute[0].f = 0.5f;
            }),
            Rules{});
  // A number of a version, in the field that was withdrawn; and several versions, which may call earlier ones.
  const auto version = [](int v) {
    return ir::Bytes(std::vector<std::byte>{std::byte{0x10}, static_cast<std::byte>(v)});
  };
  EXPECT_EQ(broken([&](auto& s) { s.functions[0].unknown = version(3); }), Rules{});
  EXPECT_EQ(broken([&](auto& s) {
              calls("Twice")(s);
              s.functions.push_back(sound().functions[0]);
              s.functions[0].unknown = version(3);
              s.functions[1].unknown = version(2);
            }),
            Rules{"opsetdoc.operator.unique-type"});
  Report report;
  ir::OperatorSet set = sound();
  set.functions[0].node[0].input = {"q"};
  check_opset_document(set, report);
  ASSERT_EQ(report.diagnostics.size(), 1u);
  EXPECT_EQ(report.diagnostics[0].where, "function 0 \"Twice\" / node 0 (Identity) / input 0 \"q\"");
}

// Very many entries of one name.
TEST(OpsetDocument, EntriesCostOneLookEach) {
  constexpr int kMany = 100'000;
  ir::OperatorSet set = sound(), next = set;
  set.opset_version = kMany;
  const ir::Operator entry = set.operators[0];
  for (int i = 0; i < kMany; ++i) {
    set.operators.push_back(entry);
    set.operators.back().op_type = "Many";
    set.operators.back().since_version = i + 1;
  }
  Report report;
  check_opset_document(set, report);
  EXPECT_EQ(report.diagnostics.size(), kMany - 1u);
  next = set;
  next.opset_version = kMany + 1;
  EXPECT_EQ(broken_together(set, next), Rules{});
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
