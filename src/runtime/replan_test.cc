// Plans for one size after another: what a later plan takes over from the one before is what it would have made itself.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <thread>

#include "norn/error.h"
#include "runtime/compiled_model.h"
#include "tests/support/model_builder.h"

namespace norn::runtime {
namespace {

using norn::test::graph_attr;
using norn::test::GraphBuilder;
using norn::test::ModelBuilder;
using ops::test::random_tensor;
using ops::test::tensor;
using transform::make_attr;

using Feeds = std::vector<Feed>;

// A step of decoding: a cache that grows, scores over it, and layers that do not see how long it is; shapes are
// computed as exporters write them.
ModelBuilder decoder(bool with_branch = false) {
  ModelBuilder m(21);
  m.input("x", "float[B,1,32]").input("past", "float[B,P,32]");
  m.initializer("w1", random_tensor(DataType::Float, {32, 64}, 1));
  m.initializer("w2", random_tensor(DataType::Float, {64, 32}, 2));
  m.initializer("b1", random_tensor(DataType::Float, {64}, 3));
  m.initializer("g", random_tensor(DataType::Float, {32}, 4));
  m.initializer("flat", tensor<std::int64_t>({2}, {-1, 32})).initializer("one", tensor<std::int64_t>({1}, {1}));
  m.node("LayerNormalization", {"x", "g"}, {"n"}, {make_attr("axis", std::int64_t{-1})});
  m.node("Concat", {"past", "n"}, {"all"}, {make_attr("axis", std::int64_t{1})});
  m.node("Transpose", {"all"}, {"t"}, {make_attr("perm", std::vector<std::int64_t>{0, 2, 1})});
  m.node("MatMul", {"n", "t"}, {"s"}).node("Softmax", {"s"}, {"p"}).node("MatMul", {"p", "all"}, {"c"});
  m.node("Shape", {"all"}, {"dims"}).node("Cast", {"dims"}, {"sizes"}, {make_attr("to", std::int64_t{1})});
  m.node("ReduceSum", {"sizes"}, {"sum"}, {make_attr("keepdims", std::int64_t{0})}).node("Mul", {"c", "sum"}, {"d"});
  m.node("Reshape", {"d", "flat"}, {"f"}).node("MatMul", {"f", "w1"}, {"h"}).node("Add", {"h", "b1"}, {"hb"});
  m.node("Relu", {"hb"}, {"r"}).node("Gemm", {"r", "w2"}, {"o"});
  m.node("Shape", {"x"}, {"xs"}).node("Reshape", {"o", "xs"}, {"y"});
  if (with_branch) {
    GraphBuilder yes("yes"), no("no");
    yes.node("Add", {"y", "n"}, {"ya"}).output("ya", "");
    no.node("Sub", {"y", "n"}, {"na"}).output("na", "");
    m.input("k", "bool[]");
    m.node("If", {"k"}, {"z"}, {graph_attr("then_branch", yes.graph()), graph_attr("else_branch", no.graph())});
    m.output("z");
  }
  m.output("y").output("all");
  return m;
}

Feeds feeds_of(std::int64_t batch, std::int64_t past, bool with_branch = false) {
  const auto seed = static_cast<unsigned>(100 * batch + past);
  Feeds feeds = {{"x", random_tensor(DataType::Float, {batch, 1, 32}, seed)},
                 {"past", random_tensor(DataType::Float, {batch, past, 32}, seed + 1)}};
  if (with_branch) {
    Tensor k(DataType::Bool, {});
    *k.as_mutable<bool>() = past % 2 != 0;
    feeds.push_back({"k", k});
  }
  return feeds;
}

void expect_same(const std::vector<Value>& a, const std::vector<Value>& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t o = 0; o < a.size(); ++o) {
    ASSERT_EQ(a[o].tensor().dims(), b[o].tensor().dims()) << what;
    EXPECT_EQ(std::memcmp(a[o].tensor().data(), b[o].tensor().data(), a[o].tensor().bytes()), 0) << what;
  }
}

// What an explanation has of plans: kernels, refusals, sizes, memory.
std::string explanation_of(const ExplainedGraph& graph) {
  std::string text = graph.name + " " + std::to_string(graph.arena_bytes) + " " + std::to_string(graph.scratch_bytes);
  const auto add = [&](const std::vector<ExplainedTensor>& tensors) {
    for (const ExplainedTensor& t : tensors) text += " " + std::string(data_type_name(t.type)) + to_string(t.dims);
    text += ";";
  };
  for (const ExplainedStep& step : graph.steps) {
    text += "\n" + step.operations[0].path() + " " + std::to_string(step.operations.size()) + " " + step.kernel;
    for (const auto& r : step.refused) text += " " + r.kernel + ": " + r.reason;
    add(step.inputs);
    add(step.outputs);
    for (const ExplainedGraph& body : step.graphs) text += "\n{" + explanation_of(body) + "}";
  }
  for (const auto& view : graph.views) text += "\nview " + view.path();
  for (const auto& known : graph.known_from_shapes) text += "\nknown " + known.path();
  return text;
}
std::string explanation_of(const CompiledModel& model, const Feeds& feeds) {
  return explanation_of(model.explain(feeds, 1).graph);
}

TEST(Replan, APlanIsWhatItWouldHaveBeenAlone) {
  for (const bool with_branch : {false, true}) {
    const ir::Model document = decoder(with_branch).build();
    const CompiledModel model(document, {}, {});
    std::mt19937 random(7);
    for (int k = 0; k < 40; ++k) {
      const std::int64_t batch = random() % 3 == 0 ? 2 : 1;
      const std::int64_t past = k < 12 ? k : static_cast<std::int64_t>(random() % 70);
      const Feeds feeds = feeds_of(batch, past, with_branch);
      const std::string what = std::to_string(batch) + ", " + std::to_string(past);
      const CompiledModel alone(document, {}, {});
      EXPECT_EQ(explanation_of(model, feeds), explanation_of(alone, feeds)) << what;
      expect_same(model.run(feeds, {}), alone.run(feeds, {}), what);
    }
  }
}

// By its condition, which follows from sizes, an If has one branch or another: one of known sizes, or one that runs
// late.
TEST(Replan, ANodeThatWasSettledMayRunLate) {
  GraphBuilder few("few"), many("many");
  few.node("Shape", {"x"}, {"t"}).output("t", "");
  many.node("NonZero", {"x"}, {"places"}).node("Reshape", {"places", "flat"}, {"e"}).output("e", "");
  ModelBuilder m(17);
  m.input("x", "float[N]");
  m.initializer("three", tensor<std::int64_t>({1}, {3})).initializer("flat", tensor<std::int64_t>({1}, {-1}));
  m.node("Shape", {"x"}, {"s"}).node("Less", {"s", "three"}, {"g"}).node("Squeeze", {"g"}, {"k"});
  m.node("If", {"k"}, {"y"}, {graph_attr("then_branch", few.graph()), graph_attr("else_branch", many.graph())});
  m.node("Add", {"y", "y"}, {"z"}).node("Mul", {"y", "y"}, {"z2"}).output("z").output("z2");
  const ir::Model document = m.build();
  const CompiledModel model(document, {}, {});
  for (const std::int64_t n : {1, 2, 5, 2, 7, 1, 0, 6, 2, 2, 9}) {
    const Feeds feeds = {{"x", random_tensor(DataType::Float, {n}, 3)}};
    const CompiledModel alone(document, {}, {});
    EXPECT_EQ(explanation_of(model, feeds), explanation_of(alone, feeds)) << n;
    expect_same(model.run(feeds, {}), alone.run(feeds, {}), std::to_string(n));
  }
}

// Sizes that do not go together are refused as before, and leave nothing behind.
TEST(Replan, AnErrorIsThatOfAFreshSession) {
  ModelBuilder m(21);
  m.input("a", "float[N,4]").input("b", "float[M,4]").node("Mul", {"a", "b"}, {"y"}).node("Exp", {"a"}, {"z"});
  m.output("y", "float[N,4]").output("z");
  const ir::Model document = m.build();
  const CompiledModel model(document, {}, {});
  const auto error = [](const CompiledModel& of, const Feeds& feeds) -> std::string {
    try {
      of.run(feeds, {});
    } catch (const Error& e) {
      return e.what();
    }
    return {};
  };
  for (int round = 0; round < 3; ++round)
    for (std::int64_t n = 1; n < 6; ++n)
      for (std::int64_t other : {n, std::int64_t{1}, n + 1, std::int64_t{3}}) {
        const Feeds feeds = {{"a", random_tensor(DataType::Float, {n, 4}, 1)},
                             {"b", random_tensor(DataType::Float, {other, 4}, 2)}};
        const CompiledModel alone(document, {}, {});
        EXPECT_EQ(error(model, feeds), error(alone, feeds)) << n << ", " << other;
      }
}

// The kernels of a run, by node.
class Kernels final : public StepWatch {
 public:
  void before(const program::Graph& graph, const Segment& segment, std::size_t step) override {
    of[operation_of(graph, segment.info[step]).path()] = segment.steps[step].kernel;
  }
  void after(const program::Graph&, const Segment&, std::size_t) override {}
  std::map<std::string, const void*> of;
};

TEST(Replan, WhatDidNotChangeIsNotMadeAgain) {
  const CompiledModel model(decoder().build(), {}, {});
  std::vector<Kernels> runs(6);
  for (std::size_t k = 0; k < runs.size(); ++k)
    model.run(feeds_of(1, 20 + static_cast<std::int64_t>(k)), {}, {.watch = &runs[k]});
  for (std::size_t k = 3; k < runs.size(); ++k) {
    int same = 0, other = 0;
    for (const auto& [path, kernel] : runs[k].of) ++(runs[k - 1].of[path] == kernel ? same : other);
    EXPECT_GE(same, 3) << "the normalization and two products";
    EXPECT_GE(other, 2) << "scores and cache";
  }
}

TEST(Replan, AnyNumberOfThreads) {
  const ir::Model document = decoder().build();
  const CompiledModel model(document, {}, {});
  std::vector<std::vector<Value>> expected;
  const CompiledModel alone(document, {}, {});
  for (std::int64_t past = 0; past < 40; ++past) expected.push_back(alone.run(feeds_of(1 + past % 2, past), {}));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int k = 0; k < 80; ++k) {
        const std::int64_t past = (k * (t + 3)) % 40;
        const auto found = model.run(feeds_of(1 + past % 2, past), {});
        expect_same(found, expected[static_cast<std::size_t>(past)], std::to_string(past));
      }
    });
  for (std::thread& t : threads) t.join();
}

}  // namespace
}  // namespace norn::runtime
