#include "program/binding.h"

#include <gtest/gtest.h>

#include "opset/reference.h"
#include "opset/registry.h"
#include "program/lower.h"
#include "tests/support/model_builder.h"

namespace norn::program {
namespace {

using norn::test::graph_attr;
using norn::test::GraphBuilder;
using norn::test::ModelBuilder;

struct Found {
  std::string op, where;
  Obstacle why;
  std::int64_t version;
};

std::vector<Found> unrunnable_of(const ir::Model& model) {
  std::vector<Found> all;
  for_each_unrunnable(model, {}, {}, [&](const Unrunnable& u) {
    all.push_back({u.node.op_type.get(), u.where, u.why.obstacle, u.version});
    EXPECT_FALSE(u.why.error.message().empty());
    EXPECT_EQ(u.why.error.where(), "");
  });
  return all;
}

// Twice(x) calls Bar, which is nowhere. Nobody calls Idle.
ir::Model broken() {
  ModelBuilder m(14);
  m.import_opset("f", 1).input("x", "float[2]").input("c", "bool[]");
  m.node("If", {"c"}, {"y"},
         {graph_attr("then_branch", GraphBuilder("t").node("Foo", {"x"}, {"r"}).output("r").graph()),
          graph_attr("else_branch", GraphBuilder("e").node("Twice", {"x"}, {"r"}, {}, "f").output("r").graph())});
  m.node("Twice", {"x"}, {"a"}, {}, "f").node("Relu", {"a"}, {"b"}).node("Scatter", {"x", "i", "x"}, {"d"});
  m.node("Scaler", {"x"}, {"s"}, {}, "ai.onnx.ml").node("Trilu", {"x"}, {"q"}).node("Mish", {"x"}, {"z"});
  m.output("y");
  for (const char* name : {"Twice", "Idle"}) {
    ir::Function& f = m.document().functions.emplace_back();
    f.domain = std::string("f");
    f.name = std::string(name);
    f.input = {"x"};
    f.output = {"y"};
    f.opset_import.emplace_back().version = std::int64_t{17};
    ir::Node& node = f.node.emplace_back();
    node.op_type = std::string("Bar");
    node.input = {"x"};
    node.output = {"y"};
  }
  return m.build();
}

TEST(Unrunnable, EveryNodeOnceWithItsPlaceAndWhy) {
  const std::vector<Found> all = unrunnable_of(broken());
  struct Row {
    const char *op, *where;
    Obstacle why;
    std::int64_t version;
  };
  const Row expected[] = {
      {"Foo", "graph \"main\" / node 0 \"n0\" (If) / attribute \"then_branch\" / graph \"t\" / node 0 \"n0\" (Foo)",
       Obstacle::UnknownOperator, 14},
      {"Bar",
       "graph \"main\" / node 0 \"n0\" (If) / attribute \"else_branch\" / graph \"e\" / node 0 \"n0\" (f.Twice) / "
       "node 0 (Bar)",
       Obstacle::UnknownOperator, 17},
      {"Scatter", "graph \"main\" / node 3 \"n3\" (Scatter)", Obstacle::Deprecated, 14},
      {"Scaler", "graph \"main\" / node 4 \"n4\" (ai.onnx.ml.Scaler)", Obstacle::NotImported, 0},
      {"Mish", "graph \"main\" / node 6 \"n6\" (Mish)", Obstacle::NotInVersion, 14},
  };
  std::size_t at = 0;
  for (const Found& found : all) {
    if (found.op == "Trilu" && found.why == Obstacle::NoKernel) continue;  // while nothing runs it
    ASSERT_LT(at, std::size(expected)) << found.where;
    EXPECT_EQ(found.op, expected[at].op);
    EXPECT_EQ(found.where, expected[at].where);
    EXPECT_EQ(found.why, expected[at].why) << found.where;
    EXPECT_EQ(found.version, expected[at].version) << found.where;
    ++at;
  }
  EXPECT_EQ(at, std::size(expected));
}

TEST(Unrunnable, LoweringNamesTheFirstAndCountsTheOthers) {
  const ir::Model model = broken();
  const std::vector<Found> all = unrunnable_of(model);
  try {
    lower(model, {});
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_NE(e.message().find("no operator \"Foo\""), std::string::npos) << e.what();
    EXPECT_NE(e.message().find(std::to_string(all.size() - 1) + " more nodes"), std::string::npos) << e.what();
    EXPECT_EQ(e.where(), all[0].where);
    EXPECT_NE(e.hint().find("norn::unrunnable_nodes"), std::string::npos) << e.what();
  }
  ModelBuilder one(14);
  one.input("x", "float[2]").node("Foo", {"x"}, {"y"}).output("y");
  try {
    lower(one.build(), {});
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.message().find("more"), std::string::npos) << e.what();
  }
}

// What counts as runnable is, down to the operators of its function body.
TEST(Unrunnable, NoRunnableOperator) {
  for (const opset::Operator* op : opset::all_operators()) {
    const opset::Schema& newest = op->history.back();
    if (newest.deprecated) continue;
    ModelBuilder m(opset::newest_version(""));
    if (!op->domain.empty()) m.import_opset(std::string(op->domain), newest.since);
    std::vector<std::string> inputs(static_cast<std::size_t>(opset::min_inputs(newest)), "x");
    m.node(std::string(op->name), inputs, {"y"}, {}, std::string(op->domain));
    const std::vector<Found> all = unrunnable_of(m.build());
    EXPECT_EQ(all.empty(), opset::is_runnable(*op)) << opset::full_name(*op);
    for (const Found& found : all) EXPECT_EQ(found.why, Obstacle::NoKernel) << opset::full_name(*op);
  }
}

TEST(Unrunnable, GraphsOfNodesThatRun) {
  ModelBuilder m(17);
  m.input("x", "seq(float[2])");
  const auto body =
      GraphBuilder("body").input("e", "float[2]").node("Foo", {"e"}, {"r"}).output("r", "float[2]").graph();
  m.node("SequenceMap", {"x"}, {"y"}, {graph_attr("body", body)}).output("y");
  const std::vector<Found> all = unrunnable_of(m.build());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].where,
            "graph \"main\" / node 0 \"n0\" (SequenceMap) / attribute \"body\" / graph \"body\" / node 0 \"n0\" (Foo)");
}

TEST(Unrunnable, FunctionsThatCallEachOtherEnd) {
  ModelBuilder m(14);
  m.import_opset("f", 1).input("x", "float[2]").node("A", {"x"}, {"y"}, {}, "f").output("y");
  for (const char* name : {"A", "B"}) {
    ir::Function& f = m.document().functions.emplace_back();
    f.domain = std::string("f");
    f.name = std::string(name);
    f.input = {"x"};
    f.output = {"y"};
    f.opset_import.emplace_back().version = std::int64_t{14};
    ir::OperatorSetId& own = f.opset_import.emplace_back();
    own.domain = std::string("f");
    own.version = std::int64_t{1};
    for (const char* called : {"A", "B"}) {
      ir::Node& node = f.node.emplace_back();
      node.domain = std::string("f");
      node.op_type = std::string(called);
      node.input = {"x"};
      node.output = {"y"};
    }
  }
  EXPECT_TRUE(unrunnable_of(m.build()).empty());
}

}  // namespace
}  // namespace norn::program
