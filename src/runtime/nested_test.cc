// What runs of plans carry: bodies within steps, watches of steps, outputs in the caller's memory, threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/parallel.h"
#include "base/stop.h"
#include "norn/error.h"
#include "ops/tensor/shape/chain_test.h"
#include "runtime/arena_pool.h"
#include "runtime/compiled_model.h"
#include "runtime/profile.h"
#include "tests/support/compiled_model.h"
#include "tests/support/model_builder.h"

namespace norn::runtime {
namespace {

using norn::test::compile;
using norn::test::graph_attr;
using norn::test::GraphBuilder;
using norn::test::ModelBuilder;
using ops::test::doubles;
using ops::test::random_tensor;
using ops::test::tensor;
using transform::make_attr;

// y = x summed with itself m times, and the sums on the way.
ModelBuilder sums(std::size_t operations = 1) {
  GraphBuilder body("body");
  body.input("i", "int64[]").input("c", "bool[]").input("v", "float[N]");
  body.node("Identity", {"c"}, {"go"});
  std::string last = "v";
  for (std::size_t k = 0; k < operations; ++k) {
    const std::string next = "n" + std::to_string(k);
    body.node(k % 2 ? "Tanh" : "Add", k % 2 ? std::vector<std::string>{last} : std::vector<std::string>{last, "x"},
              {next});
    last = next;
  }
  body.node("Neg", {last}, {"s"}).output("go").output(last).output("s");
  ModelBuilder m(18);
  m.input("m", "int64[]").input("x", "float[N]");
  m.node("Loop", {"m", "", "x"}, {"y", "all"}, {graph_attr("body", body.graph())});
  m.node("Exp", {"y"}, {"e"}).output("y").output("all").output("e");
  return m;
}

TEST(Nested, BodiesCountAsBytesOfThePlan) {
  const auto bytes = [](std::size_t operations) {
    const CompiledModel model = compile(sums(operations));
    const Feed feeds[] = {{"m", tensor<std::int64_t>({}, {2})}, {"x", tensor<float>({2}, {1, 2})}};
    model.run(feeds, {});
    return model.plan_bytes();
  };
  EXPECT_GT(bytes(200), bytes(1) + 200 * sizeof(Step));
}

// What ends a run while the plan of a body is made says nothing of the body.
TEST(Nested, ARunThatIsEndedWhilePlanningLeavesNoOtherPlan) {
  GraphBuilder yes("yes"), no("no");
  yes.node("MatMul", {"x", "w"}, {"t"}).output("t");
  no.node("Neg", {"x"}, {"e"}).output("e");
  ModelBuilder m(18);
  m.input("k", "bool[]").input("x", "float[N,1024]");
  m.initializer("w", random_tensor(DataType::Float, {1024, 1024}, 1));
  m.node("If", {"k"}, {"y"}, {graph_attr("then_branch", yes.graph()), graph_attr("else_branch", no.graph())});
  m.node("Exp", {"y"}, {"z"}).output("z");
  const CompiledModel model = compile(m), alone = compile(m);
  const std::vector<Feed> feeds = {{"k", tensor<bool>({}, {true})},
                                   {"x", random_tensor(DataType::Float, {64, 1024}, 2)}};
  const std::atomic<bool> ended{true};
  {
    const base::Stop stop(&ended, {}, {});
    const base::StopScope scope(&stop);
    try {
      model.run(feeds, {});
      FAIL() << "it was to be ended";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::Cancelled) << e.what();
    }
  }
  const auto steps = [&](const CompiledModel& of) {
    std::vector<std::string> kernels;
    for (const ExplainedStep& step : of.explain(feeds, 1).graph.steps) kernels.push_back(step.kernel);
    return kernels;
  };
  EXPECT_EQ(steps(model), steps(alone));
}

TEST(Nested, AStackOfUnknownLengthDoesNotMakeTheLoopSlowOrWrong) {
  const CompiledModel model = compile(sums());
  for (std::int64_t m : {0, 1, 3, 4, 5, 100}) {
    const Feed feeds[] = {{"m", tensor<std::int64_t>({}, {m})}, {"x", tensor<float>({2}, {1, -2})}};
    const auto found = model.run(feeds, {});
    const auto n = static_cast<double>(m);
    EXPECT_EQ(doubles(found[0].tensor()), (std::vector<double>{n + 1, -2 * (n + 1)}));
    ASSERT_EQ(found[1].tensor().dims()[0], m);
    const std::vector<double> all = doubles(found[1].tensor());
    for (std::size_t k = 0; k < static_cast<std::size_t>(m); ++k)
      EXPECT_EQ(all[2 * k], -(static_cast<double>(k) + 2)) << m << " " << k;
  }
}

// --- watching ---

TEST(Profile, TellsEveryStepWithThoseOfBodies) {
  const CompiledModel model = compile(sums());
  const Feed feeds[] = {{"m", tensor<std::int64_t>({}, {5})}, {"x", tensor<float>({2}, {1, 2})}};
  Profile profile;
  for (int run = 0; run < 3; ++run) model.run(feeds, {}, {.watch = &profile});
  const auto find = [&](std::string_view part) {
    const auto& times = profile.times();
    const auto at = std::find_if(times.begin(), times.end(), [&](const StepTime& t) {
      return t.path.find(part) != std::string::npos && t.path.find("body") == std::string::npos;
    });
    EXPECT_NE(at, times.end()) << part;
    return *at;
  };
  const StepTime loop = find("(Loop)"), exp = find("(Exp)");
  EXPECT_EQ(loop.calls, 3);
  EXPECT_EQ(loop.kernel, "control flow");
  EXPECT_EQ(exp.calls, 3);
  EXPECT_EQ(exp.within.count(), 0);
  EXPECT_GE(loop.total, loop.within);
  std::int64_t in_body = 0;
  std::chrono::nanoseconds body{0};
  for (const StepTime& t : profile.times())
    if (t.path.find("body") != std::string::npos) in_body += t.calls, body += t.total;
  EXPECT_EQ(in_body % 15, 0);
  EXPECT_GE(in_body, 15);
  EXPECT_EQ(body, loop.within);
}

TEST(Profile, GoesOnAfterARunThatFails) {
  ModelBuilder m(18);
  m.input("x", "float[N]").input("i", "int64[]").node("Gather", {"x", "i"}, {"y"}).output("y");
  const CompiledModel model = compile(m);
  Profile profile;
  for (std::int64_t at : {7, 0}) {
    const Feed feeds[] = {{"x", tensor<float>({2}, {1, 2})}, {"i", tensor<std::int64_t>({}, {at})}};
    profile.begin_run();
    if (at == 7) {
      EXPECT_THROW(model.run(feeds, {}, {.watch = &profile}), Error);
    } else {
      model.run(feeds, {}, {.watch = &profile});
    }
  }
  ASSERT_EQ(profile.times().size(), 1u);
  EXPECT_EQ(profile.times()[0].calls, 1);
}

// --- outputs in the caller's memory ---

TEST(Placed, OutputsOfEveryKind) {
  ModelBuilder m(18);
  m.input("x", "float[N,2]").initializer("k", tensor<float>({2}, {8, 9}));
  m.node("Neg", {"x"}, {"made"})
      .node("Transpose", {"made"}, {"view"}, {make_attr("perm", std::vector<std::int64_t>{1, 0})});
  m.node("Identity", {"x"}, {"same"}).node("Identity", {"k"}, {"constant"});
  m.node("Shape", {"x"}, {"known"}).node("NonZero", {"x"}, {"late"}).node("Neg", {"late"}, {"behind"});
  const std::vector<std::string> names = {"made", "view", "same", "constant", "known", "late", "behind"};
  for (const std::string& name : names) m.output(name);
  const CompiledModel model = compile(m);
  const Feed feeds[] = {{"x", tensor<float>({3, 2}, {1, 2, 0, 4, 5, 0})}};
  const std::vector<Value> expected = model.run(feeds, {});
  for (int run = 0; run < 2; ++run) {
    std::vector<Placement> places;
    std::vector<Tensor> memory;
    for (std::size_t o = 0; o < names.size(); ++o) {
      memory.emplace_back(expected[o].tensor().dtype(), expected[o].tensor().dims());
      // Memory that only the caller keeps alive.
      places.push_back({names[o], Tensor::borrow(memory[o].dtype(), memory[o].dims(), memory[o].mutable_data())});
    }
    const std::vector<Value> found = model.run(feeds, {}, {.places = places});
    for (std::size_t o = 0; o < names.size(); ++o) {
      EXPECT_EQ(found[o].tensor().data(), memory[o].data()) << names[o];
      EXPECT_EQ(doubles(memory[o]), doubles(expected[o].tensor())) << names[o];
    }
  }
}

TEST(Placed, InTheMemoryOfAnInput) {
  ModelBuilder m(18);
  m.input("x", "float[4]").node("Neg", {"x"}, {"n"}).node("Add", {"n", "x"}, {"z"}).output("n").output("z");
  const CompiledModel model = compile(m);
  Tensor x = tensor<float>({4}, {1, 2, 3, 4});
  const Feed feeds[] = {{"x", x}};
  const Placement places[] = {{"n", x}};
  const auto found = model.run(feeds, {}, {.places = places});
  EXPECT_EQ(doubles(x), (std::vector<double>{-1, -2, -3, -4}));
  EXPECT_EQ(doubles(found[1].tensor()), (std::vector<double>{0, 0, 0, 0}));
}

TEST(Placed, WhatDoesNotFit) {
  ModelBuilder m(18);
  m.input("x", "float[N]").node("Neg", {"x"}, {"n"}).node("Abs", {"x"}, {"a"}).output("n").output("a");
  const CompiledModel model = compile(m);
  const Feed feeds[] = {{"x", tensor<float>({2}, {1, 2})}};
  const auto error = [&](std::vector<Placement> places) -> std::string {
    try {
      model.run(feeds, {}, {.places = places});
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::InvalidArgument);
      return e.what();
    }
    return {};
  };
  const Tensor two(DataType::Float, {2});
  EXPECT_NE(error({{"n", Tensor(DataType::Float, {3})}})
                .find("the output \"n\" is float[2], but the place given for it is float[3]"),
            std::string::npos);
  EXPECT_NE(error({{"n", Tensor(DataType::Int32, {2})}}).find("int32[2]"), std::string::npos);
  EXPECT_NE(error({{"none", two}}).find("no output \"none\""), std::string::npos);
  EXPECT_NE(error({{"n", two}, {"a", two}}).find("overlap"), std::string::npos);
  EXPECT_NE(error({{"n", two}, {"n", Tensor(DataType::Float, {2})}}).find("two places"), std::string::npos);
  EXPECT_NE(error({{"n", Tensor()}}).find("undefined"), std::string::npos);
  EXPECT_EQ(error({{"n", two}}), "");
}

// --- threads and memory ---

// A session without a number of threads of its own takes those of the thread around it, more than the machine has too.
TEST(Threads, TheSameBitsForAnyNumber) {
  ModelBuilder conv(18), matmul(18), reduce(18);
  conv.input("x", "float[2,16,33,37]").initializer("w", random_tensor(DataType::Float, {24, 16, 3, 3}, 1));
  conv.node("Conv", {"x", "w"}, {"c"}, {make_attr("pads", std::vector<std::int64_t>{1, 1, 1, 1})});
  conv.node("Sigmoid", {"c"}, {"s"}).node("GlobalAveragePool", {"s"}, {"y"}).output("s").output("y");
  matmul.input("x", "float[67,129]").initializer("w", random_tensor(DataType::Float, {129, 257}, 2));
  matmul.node("MatMul", {"x", "w"}, {"m"}).node("Softmax", {"m"}, {"y"}).output("m").output("y");
  reduce.input("x", "float[31,47,53]").initializer("axes", tensor<std::int64_t>({2}, {0, 2}));
  reduce.node("Erf", {"x"}, {"e"}).node("ReduceSum", {"e", "axes"}, {"y"});
  reduce.node("Transpose", {"e"}, {"t"}, {make_attr("perm", std::vector<std::int64_t>{2, 0, 1})});
  reduce.node("CumSum", {"t", "one"}, {"k"}).initializer("one", tensor<std::int64_t>({}, {1})).output("y").output("k");
  int seed = 3;
  for (const ModelBuilder* m : {&conv, &matmul, &reduce}) {
    const CompiledModel model = compile(*m);
    Shape dims;
    for (const DimInfo& d : model.inputs()[0].shape) dims.push_back(d.value);
    const Feed feeds[] = {{"x", random_tensor(DataType::Float, dims, static_cast<std::uint32_t>(seed++))}};
    std::vector<Value> first;
    for (int width : {1, 2, 3, 7}) {
      const base::ParallelWidth threads(width);
      const std::vector<Value> found = model.run(feeds, {});
      if (first.empty()) first = found;
      for (std::size_t o = 0; o < found.size(); ++o) {
        const Tensor &a = first[o].tensor(), &b = found[o].tensor();
        EXPECT_EQ(std::memcmp(a.data(), b.data(), a.bytes()), 0) << width << " threads, output " << o;
      }
    }
  }
}

// What a burst of shapes needed is given back, up to what may lie idle.
TEST(Arenas, ShrinkAfterABurst) {
  constexpr std::size_t kIdle = std::size_t{16} << 20;
  const auto arenas = std::make_shared<ArenaPool>(kIdle);
  {
    std::vector<ArenaPool::Stretch> taken;
    for (std::size_t k = 0; k < 16; ++k) taken.push_back(arenas->take((std::size_t{8} << 20) + k * 4096));
    for (ArenaPool::Stretch& stretch : taken) arenas->give_back(std::move(stretch));
  }
  EXPECT_LE(arenas->idle_bytes(), kIdle);
  EXPECT_GT(arenas->idle_bytes(), 0u);
  // One after the other, shapes of about the same size work in the same stretch.
  const auto one = std::make_shared<ArenaPool>(kIdle);
  for (std::size_t k = 0; k < 16; ++k) one->give_back(one->take((std::size_t{8} << 20) - k * 4096));
  EXPECT_LT(one->idle_bytes(), std::size_t{10} << 20);
}

}  // namespace
}  // namespace norn::runtime
