// Parameters that are fed: whatever comes, and however often it changes, answers are those of reference kernels.
#include "runtime/deciding_inputs.h"

#include <gtest/gtest.h>

#include "norn/error.h"
#include "ops/tensor/shape/chain_test.h"
#include "runtime/compiled_model.h"
#include "tests/support/model_builder.h"

namespace norn::runtime {
namespace {

using norn::test::ModelBuilder;
using ops::test::doubles;
using ops::test::tensor;

using Feeds = std::vector<Feed>;
using Ints = std::vector<std::int64_t>;

CompiledModel compile(const ModelBuilder& m, bool reference_only) {
  SessionOptions options;
  options.verify_passes = true;
  options.reference_only = reference_only;
  return CompiledModel(m.build(), {}, options);
}

Tensor numbers(Shape dims) {
  Tensor t(DataType::Float, std::move(dims));
  for (std::int64_t i = 0; i < t.size(); ++i) t.as_mutable<float>()[i] = static_cast<float>(i % 23) - 7;
  return t;
}
Tensor ints(const Ints& values) { return tensor<std::int64_t>({static_cast<std::int64_t>(values.size())}, values); }

// More contents than plans are made for, each of them twice; then some that do not fit.
void check(const ModelBuilder& m, const std::vector<Ints>& contents, const Ints& wrong) {
  const CompiledModel model = compile(m, false), reference = compile(m, true);
  const auto feeds = [](const Ints& p) { return Feeds{{"x", numbers({6, 8})}, {"p", ints(p)}}; };
  for (int turn = 0; turn < 24; ++turn) {
    const Ints& p = contents[static_cast<std::size_t>(turn / 2) % contents.size()];
    const auto got = model.run(feeds(p), {}), want = reference.run(feeds(p), {});
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
      ASSERT_EQ(got[i].tensor().dims(), want[i].tensor().dims()) << turn;
      EXPECT_EQ(doubles(got[i].tensor()), doubles(want[i].tensor())) << turn;  // whole numbers: no rounding
    }
  }
  const auto told = [&](const CompiledModel& by) -> std::string {
    try {
      by.run(feeds(wrong), {});
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(told(model), "");
  EXPECT_EQ(told(compile(m, false)), told(model));  // whether a plan is made for the contents or not
}

TEST(DecidingInputs, AnswersAreThoseOfReferenceKernels) {
  std::vector<Ints> axes = {{0}, {1}, {-1}, {0, 1}, {1, 0}, {-2}, {}};
  ModelBuilder sum(18);
  sum.input("x", "float[N,M]").input("p", "int64[K]").node("ReduceSum", {"x", "p"}, {"s"});
  sum.node("Neg", {"s"}, {"y"}).output("y");
  check(sum, axes, {5});

  std::vector<Ints> pads;
  for (std::int64_t i = 0; i < 12; ++i) pads.push_back({i % 3, i, 1, i / 2});
  ModelBuilder pad(18);
  pad.input("x", "float[N,M]").input("p", "int64[4]").node("Pad", {"x", "p"}, {"s"}).node("Neg", {"s"}, {"y"});
  pad.output("y");
  check(pad, pads, {-9, -9, 0, 0});

  // Handed on; the result of a plan for one is not that for the next.
  ModelBuilder repeated(18);
  repeated.input("x", "float[N,M]").input("p", "int64[2]").node("Identity", {"p"}, {"q"});
  repeated.node("Tile", {"x", "q"}, {"s"}).node("ConstantOfShape", {"p"}, {"z"}).output("s").output("z");
  std::vector<Ints> counts;
  for (std::int64_t i = 0; i < 12; ++i) counts.push_back({i % 4, 1 + i / 4});
  check(repeated, counts, {-1, 2});
}

// What else is read of an input, or given out, is no parameter.
TEST(DecidingInputs, AreThoseOfWhichNothingElseIsRead) {
  for (const bool also_added : {false, true}) {
    ModelBuilder m(18);
    m.input("x", "float[N,M]").input("p", "int64[2]").node("Tile", {"x", "p"}, {"y"}).output("y");
    if (also_added) m.node("Add", {"p", "p"}, {"q"}).output("q");
    const CompiledModel model = compile(m, false);
    for (std::int64_t i = 1; i < 20; ++i) {
      const auto y = model.run(Feeds{{"x", numbers({1, 2})}, {"p", ints({i, 2})}}, {});
      EXPECT_EQ(y[0].tensor().dims(), (Shape{i, 4}));
      if (!also_added) continue;
      EXPECT_EQ(doubles(y[1].tensor()), (std::vector<double>{2.0 * static_cast<double>(i), 4}));
    }
  }
}

}  // namespace
}  // namespace norn::runtime
