// Operators that loaded sets declare, on the way through lowering.
#include <gtest/gtest.h>

#include "ir/operator_set.h"
#include "norn/error.h"
#include "opset/reference.h"
#include "opset/registry.h"
#include "program/lower.h"
#include "program/verify.h"
#include "tests/support/model_builder.h"

namespace norn::program {
namespace {

using norn::test::ModelBuilder;

// Twice(x) = x + x with an attribute for the sign of the result; Opaque has no body.
ir::OperatorSet acme(std::int64_t version) {
  ir::OperatorSet set;
  set.domain = "com.acme";
  set.opset_version = version;
  ir::Operator& op = set.operators.emplace_back();
  op.op_type = "Opaque";
  op.since_version = 1;
  ir::Function& f = set.functions.emplace_back();
  f.name = "Twice";
  f.input = {"x"};
  f.output = {"y"};
  for (const char* name : {"Add", "Neg"}) f.node.emplace_back().op_type = name;
  f.node[0].input = {"x", "x"};
  f.node[0].output = {"s"};
  f.node[1].input = {"s"};
  f.node[1].output = {"y"};
  ir::OperatorSetId import;
  import.version = 13;
  f.opset_import.push_back(import);
  return set;
}

Program lower_one(const char* op, std::int64_t version, std::vector<const ir::OperatorSet*> sets,
                  const char* domain = "com.acme", std::int64_t default_opset = 21) {
  ModelBuilder m(default_opset);
  if (*domain) m.import_opset(domain, version);
  m.input("a", "float[2]").node(op, {"a"}, {"b"}, {}, domain).output("b", "float[2]");
  LowerOptions options;
  options.operator_sets = std::move(sets);
  Program p = lower(m.build(), options);
  verify(p);
  return p;
}
std::string message_of(const char* op, std::int64_t version, std::vector<const ir::OperatorSet*> sets,
                       const char* domain = "com.acme") {
  try {
    lower_one(op, version, std::move(sets), domain);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::NotImplemented);
    return e.message();
  }
  return {};
}

TEST(LowerOperatorSets, BodiesAreInlined) {
  const ir::OperatorSet set = acme(2);
  const Program p = lower_one("Twice", 2, {&set});
  ASSERT_EQ(p.main.nodes.size(), 2u);
  EXPECT_EQ(p.main.nodes[0].op->name, "Add");
  EXPECT_EQ(p.main.nodes[1].op->name, "Neg");
  EXPECT_EQ(p.main.value(p.main.outputs[0]).type.to_string(), "float[2]");
}

TEST(LowerOperatorSets, TheVersionThatIsImportedCounts) {
  const ir::OperatorSet one = acme(1), two = acme(2);
  EXPECT_EQ(lower_one("Twice", 1, {&one, &two}).main.nodes.size(), 2u);
  EXPECT_NE(message_of("Twice", 1, {&two}).find("documents of version 2"), std::string::npos);
  EXPECT_NE(message_of("Twice", 3, {&one, &two}).find("documents of version 1, 2"), std::string::npos);
}

TEST(LowerOperatorSets, WithoutBodyOrSet) {
  const ir::OperatorSet set = acme(2);
  EXPECT_NE(message_of("Opaque", 2, {&set}).find("without a body"), std::string::npos);
  EXPECT_NE(message_of("Other", 2, {&set}).find("has no operator \"Other\" in version 2"), std::string::npos);
  EXPECT_NE(message_of("Twice", 2, {}).find("there is no operator"), std::string::npos);
  EXPECT_NE(message_of("Twice", 2, {&set}, "com.other").find("there is no operator"), std::string::npos);
}

TEST(LowerOperatorSets, AFunctionThatCallsItself) {
  ir::OperatorSet set = acme(1);
  set.functions[0].node[1].op_type = "Twice";
  set.functions[0].node[1].domain = "com.acme";
  ir::OperatorSetId import;
  import.domain = "com.acme";
  import.version = 1;
  set.functions[0].opset_import.push_back(import);
  try {
    lower_one("Twice", 1, {&set});
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_NE(e.message().find("calls itself"), std::string::npos) << e.what();
  }
}

TEST(LowerOperatorSets, ABuiltInOperatorIsNotReplaced) {
  ir::OperatorSet set = acme(21);
  set.domain = "";
  set.functions[0].name = "Abs";
  const Program p = lower_one("Abs", 21, {&set}, "");
  ASSERT_EQ(p.main.nodes.size(), 1u);
  EXPECT_EQ(p.main.nodes[0].op->name, "Abs");
}

TEST(LowerOperatorSets, OperatorsKnownByTheirSignatureOnly) {
  for (const opset::Operator* op : opset::all_operators()) {
    if (opset::is_runnable(*op) || op->history.back().deprecated) continue;
    const std::string name(op->name), domain(op->domain);
    try {
      lower_one(name.c_str(), op->history.back().since, {}, domain.c_str(), 28);
      ADD_FAILURE() << opset::full_name(*op);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::NotImplemented) << opset::full_name(*op);
      EXPECT_NE(e.message().find("knows " + opset::full_name(*op) + " by its signature only"), std::string::npos)
          << e.what();
    }
  }
}

}  // namespace
}  // namespace norn::program
