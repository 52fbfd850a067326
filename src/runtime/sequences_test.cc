// Lists that change: each step that is the last to read one may change it in place, which no other holder sees.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "norn/error.h"
#include "runtime/compiled_model.h"
#include "tests/support/compiled_model.h"
#include "tests/support/model_builder.h"

namespace norn::runtime {
namespace {

using norn::test::compile;
using norn::test::error_of;
using norn::test::graph_attr;
using norn::test::GraphBuilder;
using norn::test::ModelBuilder;
using ops::test::doubles;
using ops::test::tensor;

using Numbers = std::vector<double>;

Tensor number(double n) { return tensor<float>({1}, {static_cast<float>(n)}); }
Value list(const Numbers& of) {
  Sequence items;
  for (const double n : of) items.items.push_back(number(n));
  return items;
}
Numbers numbers(const Value& of) {
  Numbers found;
  for (const Value& item : of.sequence().items) found.push_back(doubles(item.tensor())[0]);
  return found;
}

std::vector<Value> run(const CompiledModel& model, const std::vector<Feed>& feeds) { return model.run(feeds, {}); }
Feed times(std::int64_t n) { return {"m", tensor<std::int64_t>({}, {n})}; }

// A body with the list "v", to which `add` brings the list "w".
ir::Attribute body(void (*add)(GraphBuilder&), const std::vector<std::string>& more_outputs = {}) {
  GraphBuilder g("body");
  g.input("i", "int64[]").input("c", "bool[]").input("v", "seq(float[K])");
  g.node("Identity", {"c"}, {"go"});
  add(g);
  g.output("go", "bool[]").output("w", "seq(float[K])");
  for (const std::string& name : more_outputs) g.output(name);
  return graph_attr("body", g.graph());
}
ModelBuilder looping(const ir::Attribute& body, const std::vector<std::string>& outputs = {"y"}) {
  ModelBuilder m(18);
  m.input("m", "int64[]").input("s", "seq(float[K])").input("x", "float[1]");
  m.node("Loop", {"m", "", "s"}, outputs, {body});
  for (const std::string& name : outputs) m.output(name);
  return m;
}
void insert_x(GraphBuilder& g) { g.node("SequenceInsert", {"v", "x"}, {"w"}); }

double seconds(const CompiledModel& model, const std::vector<Feed>& feeds) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run(model, feeds);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

TEST(Sequences, GrowAndShrinkInLinearTime) {
  const CompiledModel grows = compile(looping(body(insert_x)));
  const std::vector<Feed> feeds = {{"s", list({})}, {"x", number(1)}};
  const auto with = [&](std::int64_t n) { return std::vector<Feed>{times(n), feeds[0], feeds[1]}; };
  EXPECT_EQ(run(grows, with(3000))[0].sequence().items.size(), 3000U);
  // 16 times the rounds; each was the length of the list, which would be 256 times the work.
  EXPECT_LT(seconds(grows, with(16000)), 64 * std::max(seconds(grows, with(1000)), 1e-4));

  const CompiledModel shrinks = compile(looping(body([](GraphBuilder& g) { g.node("SequenceErase", {"v"}, {"w"}); })));
  const auto emptied = [&](std::int64_t n) {
    const Numbers full(static_cast<std::size_t>(n + 1), 1.0);
    return std::vector<Feed>{times(n), {"s", list(full)}, feeds[1]};
  };
  EXPECT_EQ(run(shrinks, emptied(1000))[0].sequence().items.size(), 1U);
  EXPECT_LT(seconds(shrinks, emptied(16000)), 64 * std::max(seconds(shrinks, emptied(1000)), 1e-4));
}

// At the beginning, too, and where others at the end are added: a queue.
TEST(Sequences, TheFirstGoesInLinearTime) {
  const auto emptied = [](std::int64_t n) {
    const Numbers full(static_cast<std::size_t>(n + 1), 1.0);
    return std::vector<Feed>{times(n), {"s", list(full)}, {"x", number(1)}};
  };
  const auto erase_first = [](GraphBuilder& g) { g.node("SequenceErase", {"v", "zero"}, {"w"}); };
  ModelBuilder erases = looping(body(erase_first)),
               puts = looping(body([](GraphBuilder& g) { g.node("SequenceInsert", {"v", "x", "zero"}, {"w"}); })),
               queues = looping(body([](GraphBuilder& g) {
                 g.node("SequenceInsert", {"v", "x"}, {"longer"}).node("SequenceErase", {"longer", "zero"}, {"w"});
               }));
  for (ModelBuilder* m : {&erases, &puts, &queues}) {
    m->initializer("zero", tensor<std::int64_t>({}, {0}));
    const CompiledModel model = compile(*m);
    const std::size_t left = m == &erases ? 1 : m == &puts ? 2001 : 1001;
    EXPECT_EQ(run(model, emptied(1000))[0].sequence().items.size(), left);
    EXPECT_LT(seconds(model, emptied(16000)), 64 * std::max(seconds(model, emptied(1000)), 1e-4));
  }
}

TEST(Sequences, WhatIsFedStaysAsItIs) {
  const CompiledModel model = compile(looping(body(insert_x)));
  const Value fed = list({5, 6});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(numbers(run(model, {times(3), {"s", fed}, {"x", number(1)}})[0]), (Numbers{5, 6, 1, 1, 1}));
    EXPECT_EQ(numbers(fed), (Numbers{5, 6}));
  }
  ModelBuilder straight(18);
  straight.input("s", "seq(float[K])").input("x", "float[1]");
  straight.node("SequenceInsert", {"s", "x"}, {"y"}).output("y");
  const CompiledModel one = compile(straight);
  EXPECT_EQ(numbers(run(one, {{"s", fed}, {"x", number(1)}})[0]), (Numbers{5, 6, 1}));
  EXPECT_EQ(numbers(fed), (Numbers{5, 6}));
}

TEST(Sequences, WhatIsReadLaterOrGivenOutStays) {
  ModelBuilder m(18);
  m.input("s", "seq(float[K])").input("x", "float[1]").input("z", "float[1]");
  m.node("SequenceInsert", {"s", "x"}, {"a"});
  m.node("SequenceInsert", {"a", "x"}, {"b"});  // a is read again
  m.node("SequenceInsert", {"a", "z"}, {"c"});  // for the last time
  m.node("SequenceInsert", {"b", "z"}, {"d"});  // b is an output
  m.node("SequenceErase", {"d"}, {"e"});
  m.node("SequenceLength", {"c"}, {"n"});
  m.output("b").output("c").output("e").output("n");
  const CompiledModel model = compile(m);
  for (int i = 0; i < 2; ++i) {
    const std::vector<Value> found = run(model, {{"s", list({7})}, {"x", number(1)}, {"z", number(2)}});
    EXPECT_EQ(numbers(found[0]), (Numbers{7, 1, 1}));
    EXPECT_EQ(numbers(found[1]), (Numbers{7, 1, 2}));
    EXPECT_EQ(numbers(found[2]), (Numbers{7, 1, 1}));
    EXPECT_EQ(doubles(found[3].tensor()), (Numbers{3}));
  }
}

TEST(Sequences, ABodyMayChangeWhatItIsGivenTwice) {
  // The list is carried, captured, and what comes before a change is carried on, too.
  const ir::Attribute carried_and_captured = body([](GraphBuilder& g) {
    g.node("SequenceInsert", {"v", "x"}, {"longer"});
    g.node("SequenceAt", {"s", "zero"}, {"first"});
    g.node("SequenceInsert", {"longer", "first"}, {"w"});
  });
  ModelBuilder m = looping(carried_and_captured);
  m.initializer("zero", tensor<std::int64_t>({}, {0}));
  const CompiledModel model = compile(m);
  EXPECT_EQ(numbers(run(model, {times(2), {"s", list({9})}, {"x", number(1)}})[0]), (Numbers{9, 1, 9, 1, 9}));

  GraphBuilder g("body");
  g.input("i", "int64[]").input("c", "bool[]").input("v", "seq(float[K])").input("before", "seq(float[K])");
  g.node("Identity", {"c"}, {"go"}).node("SequenceInsert", {"v", "x"}, {"w"}).node("Identity", {"v"}, {"same"});
  g.output("go", "bool[]").output("w", "seq(float[K])").output("same", "seq(float[K])");
  ModelBuilder two(18);
  two.input("m", "int64[]").input("s", "seq(float[K])").input("x", "float[1]");
  two.node("Loop", {"m", "", "s", "s"}, {"y", "z"}, {graph_attr("body", g.graph())}).output("y").output("z");
  const std::vector<Value> found = run(compile(two), {times(3), {"s", list({4})}, {"x", number(1)}});
  EXPECT_EQ(numbers(found[0]), (Numbers{4, 1, 1, 1}));
  EXPECT_EQ(numbers(found[1]), (Numbers{4, 1, 1}));
}

TEST(Sequences, GrowInBranchesAndInnerLoops) {
  // Each second round adds, in a branch that captures the list; and an inner loop of one round adds, too.
  const ir::Attribute grown = body([](GraphBuilder& g) {
    GraphBuilder then_branch("then"), else_branch("else"), inner("inner");
    then_branch.node("SequenceInsert", {"v", "x"}, {"t"}).output("t", "seq(float[K])");
    else_branch.node("Identity", {"v"}, {"e"}).output("e", "seq(float[K])");
    g.node("Mod", {"i", "two"}, {"odd"})
        .node("Cast", {"odd"}, {"is_odd"}, {transform::make_attr("to", std::int64_t{9})});
    g.node("If", {"is_odd"}, {"u"},
           {graph_attr("then_branch", then_branch.graph()), graph_attr("else_branch", else_branch.graph())});
    inner.input("j", "int64[]").input("d", "bool[]").input("p", "seq(float[K])");
    inner.node("Identity", {"d"}, {"on"}).node("SequenceInsert", {"p", "x"}, {"q"});
    inner.output("on", "bool[]").output("q", "seq(float[K])");
    g.node("Loop", {"one", "", "u"}, {"w"}, {graph_attr("body", inner.graph())});
  });
  ModelBuilder m = looping(grown);
  m.initializer("two", tensor<std::int64_t>({}, {2})).initializer("one", tensor<std::int64_t>({}, {1}));
  const CompiledModel model = compile(m);
  const auto with = [&](std::int64_t n) { return std::vector<Feed>{times(n), {"s", list({})}, {"x", number(3)}}; };
  EXPECT_EQ(run(model, with(4))[0].sequence().items.size(), 6U);
  EXPECT_EQ(run(model, with(0))[0].sequence().items.size(), 0U);
  EXPECT_LT(seconds(model, with(8000)), 64 * std::max(seconds(model, with(500)), 1e-4));
}

TEST(Sequences, ErrorsTellWhatTheNodeWasGiven) {
  const std::vector<Feed> feeds = {times(5), {"s", list({1, 2, 3})}, {"x", number(1)}};
  const CompiledModel erases =
      compile(looping(body([](GraphBuilder& g) { g.node("SequenceErase", {"v", "i"}, {"w"}); })));
  const std::string inner = error_of(erases, feeds);
  for (const char* part : {"position 2 is outside a sequence of 1", "\"v\" seq of 1", "iteration 2"})
    EXPECT_NE(inner.find(part), std::string::npos) << inner;
  // What the loop itself refuses, when its body has taken the list.
  const auto stacks = [](GraphBuilder& g) {
    g.node("SequenceInsert", {"v", "x"}, {"w"});
    g.node("ConcatFromSequence", {"w"}, {"all"}, {transform::make_attr("axis", std::int64_t{0})});
  };
  const std::string outer = error_of(compile(looping(body(stacks, {"all"}), {"y", "z"})), feeds);
  for (const char* part : {"was float[4] before", "\"s\" seq of 3", "iteration 1"})
    EXPECT_NE(outer.find(part), std::string::npos) << outer;
}

}  // namespace
}  // namespace norn::runtime
