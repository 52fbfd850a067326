// Fused nodes of which kernels take a part, or none: built here, since passes make none that change in type. The truth
// is the same model without passes on reference kernels.
#include <gtest/gtest.h>

#include "norn/error.h"
#include "program/lower.h"
#include "program/passes.h"
#include "program/rewriter.h"
#include "program/verify.h"
#include "runtime/arena_pool.h"
#include "runtime/compiled_model.h"
#include "runtime/executor.h"
#include "runtime/kernel_store.h"
#include "runtime/pack_store.h"
#include "tests/support/model_builder.h"

namespace norn::runtime {
namespace {

using norn::test::ModelBuilder;
using ops::test::doubles;
using ops::test::random_tensor;
using ops::test::tensor;
using program::Graph;
using program::NodeId;
using program::Program;
using transform::make_attr;

const ir::Attribute kToInt = make_attr("to", std::int64_t{7}), kToDouble = make_attr("to", std::int64_t{11});

// Runs a Program's main graph.
class Runner {
 public:
  explicit Runner(Program program, bool reference_only = false) : program_(std::move(program)) {
    program::verify(program_);
    PlanOptions options;
    options.reference_only = reference_only;
    options.packed = &packed_;
    options.kernels = &kernels_;
    executor_ = std::make_unique<Executor>(program_.main, program_.states, options, Executor::Kept{plans_, *arenas_});
  }
  std::vector<Value> run(const std::vector<Value>& inputs) const { return executor_->run(inputs); }
  // Of each step: "Conv+Relu", "float[2] -> int64[2]".
  std::vector<std::string> steps(const std::vector<Value>& inputs) const {
    std::vector<std::string> explained;
    for (const StepInfo& info : executor_->plan(inputs)->info) {
      std::string text;
      for (std::uint32_t k = 0; k < info.operations; ++k)
        text += (k ? "+" : "") + std::string(operation_of(executor_->graph(), info, k).op->name);
      explained.push_back(text);
    }
    return explained;
  }

 private:
  Program program_;
  PackStore packed_;
  KernelStore kernels_;
  PlanCache plans_;
  std::shared_ptr<ArenaPool> arenas_ = std::make_shared<ArenaPool>();
  std::unique_ptr<Executor> executor_;
};

// Lowered, with one node for `count` nodes from `first` on.
Program fused(const ModelBuilder& m, NodeId first, std::size_t count) {
  Program p = program::lower(m.build(), {});
  program::Rewriter rewriter(p, p.main);
  std::vector<NodeId> chain;
  for (std::size_t i = 0; i < count; ++i) chain.push_back(first + static_cast<NodeId>(i));
  rewriter.fuse(chain);
  rewriter.commit();
  return p;
}

using Steps = std::vector<std::string>;

// What the fused Program gives equals what the model gives, also on reference kernels.
void expect_same(const ModelBuilder& m, NodeId first, std::size_t count, const std::vector<Value>& inputs,
                 const Steps& steps) {
  const std::vector<Value> wanted = Runner(program::lower(m.build(), {}), true).run(inputs);
  for (bool reference_only : {false, true}) {
    const Runner runner(fused(m, first, count), reference_only);
    const std::vector<Value> got = runner.run(inputs);
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].tensor().dtype(), wanted[i].tensor().dtype());
      EXPECT_EQ(got[i].tensor().dims(), wanted[i].tensor().dims());
      const auto g = doubles(got[i].tensor()), w = doubles(wanted[i].tensor());
      ASSERT_EQ(g.size(), w.size());
      for (std::size_t k = 0; k < g.size(); ++k) EXPECT_NEAR(g[k], w[k], 1e-5) << k;
    }
    if (reference_only) {
      EXPECT_EQ(runner.steps(inputs).size(), m.graph().node.size());
    } else {
      EXPECT_EQ(runner.steps(inputs), steps);
    }
  }
}

TEST(Parts, MayChangeTheElementType) {
  ModelBuilder m(18);
  m.input("x", "float[N,3]").initializer("two", tensor<std::int64_t>({1}, {2}));
  m.initializer("five", tensor<double>({1}, {5.5}));
  m.node("Neg", {"x"}, {"a"}).node("Abs", {"a"}, {"b"}).node("Cast", {"b"}, {"c"}, {kToInt});
  m.node("Mul", {"c", "two"}, {"d"}).node("Add", {"d", "two"}, {"e"}).node("Cast", {"e"}, {"f"}, {kToDouble});
  m.node("Sub", {"five", "f"}, {"y"}).output("y");
  const std::vector<Value> x{random_tensor(DataType::Float, {5, 3}, 1)};
  expect_same(m, 0, 7, x, {"Neg+Abs", "Cast", "Mul+Add", "Cast", "Sub"});
}

TEST(Parts, BehindAProduct) {
  ModelBuilder m(18);
  m.input("x", "float[N,4]").initializer("w", random_tensor(DataType::Float, {4, 6}, 2));
  m.initializer("b", tensor<float>({1}, {0.5})).initializer("three", tensor<std::int64_t>({1}, {3}));
  m.node("MatMul", {"x", "w"}, {"a"}).node("Add", {"a", "b"}, {"s"}).node("Relu", {"s"}, {"r"});
  m.node("Cast", {"r"}, {"c"}, {kToInt}).node("Max", {"c", "three"}, {"y"}).output("y");
  expect_same(m, 0, 5, {random_tensor(DataType::Float, {3, 4}, 3)}, {"MatMul+Add+Relu", "Cast", "Max"});

  ModelBuilder vector(18);
  vector.input("x", "float[4]").initializer("w", random_tensor(DataType::Float, {4, 6}, 2));
  vector.initializer("b", tensor<float>({1}, {0.5}));
  vector.node("MatMul", {"x", "w"}, {"a"}).node("Add", {"a", "b"}, {"s"}).node("Relu", {"s"}, {"y"}).output("y");
  expect_same(vector, 0, 3, {random_tensor(DataType::Float, {4}, 3)}, {"MatMul", "Add+Relu"});
}

TEST(Parts, MayGrowAndReadTheRunningValueTwice) {
  ModelBuilder m(18);
  m.input("x", "float[N,1]").input("z", "float[M]");
  m.node("Neg", {"x"}, {"a"}).node("Mul", {"a", "a"}, {"b"}).node("Exp", {"b"}, {"c"}).node("Add", {"c", "z"}, {"d"});
  m.node("Sqrt", {"d"}, {"y"}).output("y");
  const std::vector<Value> inputs{random_tensor(DataType::Float, {3, 1}, 1), tensor<float>({2}, {1, 2})};
  expect_same(m, 0, 5, inputs, {"Neg", "Mul+Exp", "Add+Sqrt"});
}

TEST(Parts, WhatIsKnownBetweenThemIsNotComputed) {
  ModelBuilder m(18);
  m.input("x", "float[N]").initializer("two", tensor<std::int64_t>({1}, {2}));
  m.node("Shape", {"x"}, {"s"})
      .node("Mul", {"s", "two"}, {"a"})
      .node("Cast", {"a"}, {"b"}, {make_attr("to", std::int64_t{1})});
  m.node("Add", {"b", "x"}, {"c"}).node("Neg", {"c"}, {"y"}).output("y");
  Program p = fused(m, 1, 4);
  const Runner runner(std::move(p));
  const std::vector<Value> x{tensor<float>({3}, {1, 2, 3})};
  EXPECT_EQ(doubles(runner.run(x)[0].tensor()), (std::vector<double>{-7, -8, -9}));
  EXPECT_EQ(runner.steps(x), (Steps{"Add+Neg"}));
}

TEST(Parts, ErrorsNameThePart) {
  ModelBuilder m(18);
  m.input("x", "float[N]").input("z", "float[M]").node("Neg", {"x"}, {"a"}).node("Abs", {"a"}, {"b"});
  m.node("Add", {"b", "z"}, {"y"}).output("y");
  const Runner runner(fused(m, 0, 3));
  try {
    runner.run({tensor<float>({3}, {1, 2, 3}), tensor<float>({2}, {1, 2})});
    ADD_FAILURE() << "the sizes contradict";
  } catch (const Error& e) {
    EXPECT_NE(e.where().find("node 2 \"n2\" (Add)"), std::string::npos) << e.where();
  }
}

TEST(States, AreReadFromTheTable) {
  ModelBuilder m(18);
  m.input("x", "float[2]").initializer("w", tensor<float>({2}, {1, 2}));
  m.node("Mul", {"x", "w"}, {"y"}).output("y").output("w");
  ir::TrainingInfo training;
  ir::StringStringEntry binding;
  binding.key = std::string("w");
  binding.value = std::string("y");
  training.update_binding.push_back(binding);
  m.document().training_info.push_back(training);
  program::LowerOptions keep;
  keep.keep_state = true;
  Program p = program::lower(m.build(), keep);
  p.states[0].initial = tensor<float>({2}, {10, 20});
  const auto out = Runner(std::move(p)).run({tensor<float>({2}, {1, 3})});
  EXPECT_EQ(doubles(out[0].tensor()), (std::vector<double>{10, 60}));
  EXPECT_EQ(doubles(out[1].tensor()), (std::vector<double>{10, 20}));
}

// --- what passes say of what they left ---

// "fuse_conv_bn: why", a line each; those of nodes without a step, too.
std::string explained(const ModelBuilder& m, const std::vector<std::string>& disabled = {}) {
  SessionOptions options;
  options.disabled_passes = disabled;
  options.verify_passes = true;
  const Explanation explained = CompiledModel(m.build(), {}, options).explain({}, 1);
  std::string text;
  const auto add = [&](const std::vector<MissedPass>& missed) {
    for (const MissedPass& miss : missed) text += miss.pass + ": " + miss.reason + "\n";
  };
  for (const ExplainedStep& step : explained.graph.steps) add(step.missed_passes);
  add(explained.missed_passes);
  return text;
}

TEST(NearMisses, AreExplained) {
  ModelBuilder m(18);
  m.input("x", "float[1,2,4,4]").input("z", "float[3,2,2]");
  m.initializer("w", random_tensor(DataType::Float, {3, 2, 3, 3}, 1));
  for (const char* name : {"scale", "bias", "mean", "var"}) m.initializer(name, tensor<float>({3}, {1, 2, 3}));
  m.node("Conv", {"x", "w"}, {"c"}).node("BatchNormalization", {"c", "scale", "bias", "mean", "var"}, {"b"});
  m.node("Sigmoid", {"c"}, {"d"}).node("Mul", {"b", "d"}, {"y"}).output("y");
  const std::string text = explained(m);
  EXPECT_NE(text.find("fuse_conv_bn: BatchNormalization could go into Conv \"n0\", but the value \"c\" has 2 readers"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("fuse_elementwise: "), std::string::npos) << text;
  EXPECT_EQ(explained(m, {"all"}), "");

  ModelBuilder grows(18);
  grows.input("x", "float[2,1]").input("z", "float[4]").node("Neg", {"x"}, {"a"}).node("Add", {"a", "z"}, {"y"});
  grows.output("y");
  EXPECT_NE(explained(grows).find(
                "Add could join Neg \"n0\", but the value \"y\" is float[2,4], and the value \"a\" float[2,1]"),
            std::string::npos)
      << explained(grows);
}

TEST(NearMisses, AreBounded) {
  ModelBuilder m(18);
  m.input("x", "float[2]");
  std::string before = "x";
  const std::size_t count = Program::kMostNearMisses + 10;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string k = std::to_string(i);
    m.node("Neg", {before}, {"a" + k}).node("Mul", {"a" + k, "a" + k}, {"b" + k});
    before = "b" + k;
  }
  m.output(before);
  Program p = program::lower(m.build(), {});
  program::run_passes(p, {});
  EXPECT_EQ(p.near_misses.size(), Program::kMostNearMisses);
  EXPECT_EQ(p.more_near_misses, 10u);
}

}  // namespace
}  // namespace norn::runtime
