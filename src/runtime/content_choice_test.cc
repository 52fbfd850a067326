// Kernels chosen while running: what they give is what kernels chosen for constants give, or the reference kernel.
#include "runtime/content_choice.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <thread>

#include "base/parallel.h"
#include "norn/error.h"
#include "ops/tensor/shape/chain_test.h"
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

Tensor ints(std::vector<std::int64_t> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return tensor<std::int64_t>({count}, values);
}
Tensor scalar(std::int64_t value) { return tensor<std::int64_t>({}, {value}); }

void expect_bits(const Value& a, const Value& b, const std::string& what) {
  ASSERT_EQ(a.tensor().dims(), b.tensor().dims()) << what;
  ASSERT_EQ(a.tensor().dtype(), b.tensor().dtype()) << what;
  EXPECT_EQ(std::memcmp(a.tensor().data(), b.tensor().data(), a.tensor().bytes()), 0) << what;
}

// A node of `x` and of others, which are computed from what is fed, or constant.
struct Node {
  std::string op;
  Tensor x;
  std::vector<Tensor> others;  // undefined: omitted
  int outputs = 1;
  std::vector<ir::Attribute> attrs;
};

std::string name_of(std::size_t i) { return "p" + std::to_string(i); }
// Of what it is computed from; feeds refer to these.
constexpr const char* kMinuends[] = {"a0", "a1", "a2", "a3"};
constexpr const char* kSubtrahends[] = {"b0", "b1", "b2", "b3"};

ModelBuilder model_of(const Node& n, bool constant) {
  ModelBuilder m(21);
  std::string rank = "float[";
  for (int d = 0; d < n.x.rank(); ++d) rank += (d ? ",D" : "D") + std::to_string(d);
  m.input("x", rank + "]");
  std::vector<std::string> inputs = {"x"}, outputs;
  for (std::size_t i = 0; i < n.others.size(); ++i) {
    const Tensor& other = n.others[i];
    inputs.push_back(other.defined() ? name_of(i) : "");
    if (!other.defined()) continue;
    if (constant) {
      m.initializer(name_of(i), other);
      continue;
    }
    const std::string type = std::string(data_type_name(other.dtype())) + (other.rank() == 0 ? "[]" : "[N]");
    m.input(kMinuends[i], type).input(kSubtrahends[i], type).node("Sub", {kMinuends[i], kSubtrahends[i]}, {name_of(i)});
  }
  for (int o = 0; o < n.outputs; ++o) outputs.push_back("y" + std::to_string(o));
  m.node(n.op, inputs, outputs, n.attrs);
  for (const std::string& y : outputs) m.output(y);
  return m;
}

std::vector<Feed> feeds_of(const Node& n, bool constant) {
  std::vector<Feed> feeds = {{"x", n.x}};
  for (std::size_t i = 0; !constant && i < n.others.size(); ++i) {
    if (!n.others[i].defined()) continue;
    Tensor zero(n.others[i].dtype(), n.others[i].dims());
    std::memset(zero.mutable_data(), 0, zero.bytes());
    feeds.push_back({kMinuends[i], n.others[i]});
    feeds.push_back({kSubtrahends[i], zero});
  }
  return feeds;
}

// Kernels that steps ran which were chosen when they ran.
std::vector<std::string> chosen(const CompiledModel& model, const std::vector<Feed>& feeds, int runs = 1) {
  Profile profile;
  for (int run = 0; run < runs; ++run) model.run(feeds, {}, {.watch = &profile});
  std::vector<std::string> kernels;
  bool any = false;
  for (const StepTime& time : profile.times()) {
    if (any) kernels.push_back(time.kernel);
    any = any || time.kernel == "chosen when run";
  }
  EXPECT_TRUE(any);
  return kernels;
}

std::vector<Node> nodes() {
  const Tensor x = random_tensor(DataType::Float, {3, 48, 64}, 1);
  const Tensor image = random_tensor(DataType::Float, {1, 3, 48, 64}, 2);
  return {
      {"ReduceSum", x, {ints({1})}},
      {"ReduceMax", x, {ints({0, 2})}},
      {"ReduceMean", x, {ints({-1})}, 1, {make_attr("keepdims", std::int64_t{0})}},
      {"CumSum", x, {scalar(1)}},
      {"CumSum", x, {scalar(-1)}, 1, {make_attr("reverse", std::int64_t{1})}},
      {"TopK", x, {ints({5})}, 2},
      {"Pad", x, {ints({0, 1, 2, 0, 3, 4})}},
      {"Pad", x, {ints({0, 1, 2, 0, 3, 4})}, 1, {make_attr("mode", "reflect")}},
      {"Tile", x, {ints({1, 2, 3})}},
      {"Tile", random_tensor(DataType::Float, {6, 2}, 3), {ints({800, 1})}},
      {"Expand", random_tensor(DataType::Float, {15, 1, 1}, 4), {ints({1, 70, 20})}},
      {"Trilu", x, {scalar(2)}},
      {"Slice", x, {ints({1}), ints({40}), ints({1}), ints({2})}},
      {"Split", x, {ints({20, 28})}, 2, {make_attr("axis", std::int64_t{1})}},
      {"Expand", x, {ints({2, 3, 48, 64})}},
      {"Resize", image, {Tensor(), tensor<float>({4}, {1, 1, 2, 2})}, 1, {make_attr("mode", "linear")}},
      {"Resize", image, {Tensor(), Tensor(), ints({1, 3, 50, 90})}, 1, {make_attr("mode", "cubic")}},
  };
}

TEST(ContentChoice, WhatIsFedGivesTheBitsOfConstants) {
  for (const Node& n : nodes()) {
    const CompiledModel fed = compile(model_of(n, false)), constant = compile(model_of(n, true)),
                        reference = compile(model_of(n, false), {.reference_only = true});
    const std::vector<Value> expected = constant.run(feeds_of(n, true), {});
    const std::vector<Value> close = reference.run(feeds_of(n, false), {});
    // Where the reference kernel runs contents first, the bits are the same, too.
    for (int run = 0; run < 4; ++run) {
      const std::vector<Value> found = fed.run(feeds_of(n, false), {});
      for (std::size_t o = 0; o < found.size(); ++o) {
        expect_bits(found[o], expected[o], n.op + ", run " + std::to_string(run));
        const std::vector<double> a = doubles(found[o].tensor()), b = doubles(close[o].tensor());
        for (std::size_t k = 0; k < a.size(); ++k) ASSERT_NEAR(a[k], b[k], 1e-4 * (1 + std::abs(b[k]))) << n.op;
      }
    }
    const std::vector<std::string> kernels = chosen(fed, feeds_of(n, false), 2);
    EXPECT_FALSE(kernels.empty()) << n.op;
    for (const std::string& kernel : kernels) EXPECT_NE(kernel, "reference") << n.op;
  }
}

TEST(ContentChoice, FewElementsStayWithTheReferenceKernel) {
  Node n{"CumSum", random_tensor(DataType::Float, {4, 8}, 1), {scalar(1)}};
  const CompiledModel model = compile(model_of(n, false));
  Profile profile;
  model.run(feeds_of(n, false), {}, {.watch = &profile});
  ASSERT_EQ(profile.times().size(), 2u);
  EXPECT_EQ(profile.times()[1].kernel, "reference");
}

TEST(ContentChoice, ContentsThatChangeAtEachRun) {
  const Tensor x = random_tensor(DataType::Float, {40, 30, 20}, 3);
  Node sum{"CumSum", x, {scalar(0)}};
  Node part{"Slice", x, {ints({0}), ints({40}), ints({0}), ints({1})}};
  const CompiledModel sums = compile(model_of(sum, false)), parts = compile(model_of(part, false));
  for (int round = 0; round < 3; ++round) {
    for (std::int64_t at = -3; at < 3; ++at) {
      sum.others[0] = scalar(at);
      expect_bits(sums.run(feeds_of(sum, false), {})[0], compile(model_of(sum, true)).run(feeds_of(sum, true), {})[0],
                  "axis " + std::to_string(at));
    }
    for (std::int64_t at = 0; at < 40; ++at) {
      part.others[0] = ints({at});
      const Value found = parts.run(feeds_of(part, false), {})[0];
      ASSERT_EQ(found.tensor().dims(), (Shape{40 - at, 30, 20}));
      EXPECT_EQ(std::memcmp(found.tensor().data(), x.as<float>() + at * 600, found.tensor().bytes()), 0);
    }
  }
}

// Plans of contents have a share of the bytes.
TEST(ContentChoice, PlansOfContentsAreBounded) {
  Node n{"Trilu", random_tensor(DataType::Float, {1, 5000}, 1), {scalar(1)}};
  SessionOptions options;
  options.max_plan_bytes = std::size_t{4} << 20;
  const CompiledModel model(model_of(n, false).build(), {}, options);
  for (std::int64_t k = 1; k <= 3000; ++k) {
    n.others[0] = scalar(k);
    for (int run = 0; run < 2; ++run) model.run(feeds_of(n, false), {});
    ASSERT_LT(model.plan_bytes(), options.max_plan_bytes / 4 + (64 << 10));
  }
  EXPECT_GT(model.plan_bytes(), options.max_plan_bytes / 8);
}

// The plans that a run walks through.
class Walked final : public StepWatch {
 public:
  void before(const program::Graph&, const Segment& segment, std::size_t) override { plans.insert(segment.id); }
  void after(const program::Graph&, const Segment&, std::size_t) override {}
  std::set<std::uint64_t> plans;
};

// However many nodes are chosen by contents, a run finds what the one before it made.
TEST(ContentChoice, ManyNodesArePlannedOnce) {
  constexpr int kNodes = 1500;
  ModelBuilder m(21);
  m.input("x", "float[4096,1]").input("a", "int64[]").input("b", "int64[]");
  m.node("Sub", {"a", "b"}, {"axis"});
  std::string last = "x";
  for (int i = 0; i < kNodes; ++i) {
    const std::string next = "y" + std::to_string(i);
    m.node("CumSum", {last, "axis"}, {next});
    last = next;
  }
  m.output(last);
  const CompiledModel model = compile(m);
  const std::vector<Feed> feeds = {
      {"x", random_tensor(DataType::Float, {4096, 1}, 1)}, {"a", scalar(2)}, {"b", scalar(1)}};
  Walked first, second;
  const Value y = model.run(feeds, {}, {.watch = &first})[0];
  expect_bits(y, feeds[0].value, "sums of one element");
  model.run(feeds, {}, {.watch = &second});
  EXPECT_EQ(first.plans.size(), kNodes + 1U);
  EXPECT_EQ(second.plans, first.plans);
}

// Contents that kernels would pack, and take as they come, too.
TEST(ContentChoice, WhatWouldBePackedDecidesNothing) {
  const auto product = [](ModelBuilder& m, const std::string& type) {
    m.input("x", type + "[512,8]").input("a", type + "[8,4]").input("b", type + "[8,4]");
    m.node("Sub", {"a", "b"}, {"w"});
  };
  ModelBuilder gemm(21), einsum(21), matmul(21);
  product(gemm, "int32");
  gemm.node("Gemm", {"x", "w"}, {"y"}).output("y");
  product(einsum, "uint8");
  einsum.node("Einsum", {"x", "w"}, {"y"}, {make_attr("equation", "ij,jk->ik")}).output("y");
  product(matmul, "int64");
  matmul.node("MatMul", {"x", "w"}, {"y"}).output("y");
  for (const ModelBuilder* m : {&gemm, &einsum, &matmul}) {
    const CompiledModel model = compile(*m);
    const DataType type = m == &gemm ? DataType::Int32 : m == &einsum ? DataType::Uint8 : DataType::Int64;
    const std::vector<Feed> feeds = {{"x", random_tensor(type, {512, 8}, 1)},
                                     {"a", random_tensor(type, {8, 4}, 2)},
                                     {"b", random_tensor(type, {8, 4}, 3)}};
    const Explanation explained = model.explain(feeds, 1);
    for (const ExplainedStep& step : explained.graph.steps) EXPECT_NE(step.kernel, "chosen when run");
    Walked walked;
    model.run(feeds, {}, {.watch = &walked});
    EXPECT_EQ(walked.plans.size(), 1U);
  }
}

// Rows for what differs, however many plans there are.
TEST(ContentChoice, AProfileHasNoRowForEachPlan) {
  Node n{"TopK", random_tensor(DataType::Float, {1, 8192}, 1), {ints({1})}, 2};
  const CompiledModel model = compile(model_of(n, false));
  Profile profile;
  const auto run = [&](std::int64_t k) {
    n.others[0] = ints({k});
    model.run(feeds_of(n, false), {}, {.watch = &profile});
  };
  for (int round = 0; round < 20; ++round)
    for (const std::int64_t k : {3, 5, 7}) run(k);
  const std::size_t few = profile.times().size();
  EXPECT_LE(few, 3U + 3 * 3);
  std::int64_t calls = 0;
  for (const StepTime& time : profile.times()) calls += time.kernel == "chosen when run" ? time.calls : 0;
  EXPECT_EQ(calls, 60);
  for (std::int64_t k = 1; k < 200; ++k) run(k);
  EXPECT_LE(profile.times().size(), few + 3 * (Profile::kMostShapes + 1));
  std::int64_t others = 0;
  for (const StepTime& time : profile.times()) others += time.shapes == "other shapes" ? time.calls : 0;
  EXPECT_GT(others, 100);
}

// What ran before the runs that count only.
TEST(ContentChoice, AProfileHasNoRowWithoutCalls) {
  ModelBuilder m(21);
  m.input("x", "float[200]").node("Bernoulli", {"x"}, {"b"}).node("NonZero", {"b"}, {"i"});
  m.node("Neg", {"i"}, {"y"}).output("y");
  Tensor x(DataType::Float, {200});
  std::fill_n(x.as_mutable<float>(), 200, 0.5F);
  const Feed feeds[] = {{"x", x}};
  const RunProfile found =
      compile(m).profile(feeds, {.runs = 3, .warmups = 20, .machine = false, .max_trace_calls = 100});
  std::vector<std::int64_t> calls(found.steps.size(), 0);
  for (const RunProfile::Call& call : found.calls) ++calls.at(call.step);
  ASSERT_FALSE(found.steps.empty());
  for (std::size_t s = 0; s < found.steps.size(); ++s) {
    EXPECT_GT(found.steps[s].calls, 0);
    EXPECT_EQ(found.steps[s].calls, calls[s]);
  }
}

TEST(ContentChoice, ErrorsAreThoseOfTheReferenceKernel) {
  const Tensor x = random_tensor(DataType::Float, {3, 48, 64}, 1);
  const Tensor image = random_tensor(DataType::Float, {1, 3, 48, 64}, 2);
  const std::vector<Node> wrong = {
      {"CumSum", x, {scalar(3)}},
      {"CumSum", x, {scalar(std::numeric_limits<std::int64_t>::min())}},
      {"ReduceSum", x, {ints({1, 1})}},
      {"ReduceSum", x, {ints({-4})}},
      {"TopK", x, {ints({65})}, 2},
      {"TopK", x, {ints({-1})}, 2},
      {"Pad", x, {ints({0, 0, 0, 0})}},
      {"Pad", x, {ints({-9, 0, 0, 0, 0, 0})}},
      {"Tile", x, {ints({1, -1, 1})}},
      {"Slice", x, {ints({0}), ints({4}), ints({0}), ints({0})}},
      {"Split", x, {ints({20, 20})}, 2, {make_attr("axis", std::int64_t{1})}},
      {"Expand", x, {ints({2, 5, 7})}},
      {"Expand", x, {ints({-1, 3, 48, 64})}},
      {"Expand", x, {ints({std::int64_t{1} << 62, 3, 48, 64})}},
      {"Tile", x, {ints({std::int64_t{1} << 40, std::int64_t{1} << 40, 1})}},
      {"Resize", image, {Tensor(), tensor<float>({4}, {1, 1, std::nanf(""), 2})}},
      {"Resize", image, {Tensor(), tensor<float>({4}, {1, 1, -1, 2})}},
  };
  const auto error = [](const CompiledModel& model, const Node& n) -> std::string {
    try {
      model.run(feeds_of(n, false), {});
    } catch (const Error& e) {
      return e.what();
    }
    return {};
  };
  for (const Node& n : wrong) {
    const CompiledModel fed = compile(model_of(n, false)),
                        reference = compile(model_of(n, false), {.reference_only = true});
    const std::string expected = error(reference, n);
    EXPECT_NE(expected, "") << n.op;
    for (int run = 0; run < 3; ++run) EXPECT_EQ(error(fed, n), expected) << n.op;
  }
}

TEST(ContentChoice, AnyNumberOfThreadsAndOfRuns) {
  const Tensor x = random_tensor(DataType::Float, {40, 30, 20}, 3);
  Node sum{"CumSum", x, {scalar(0)}};
  Node part{"Slice", x, {ints({0}), ints({40}), ints({0}), ints({1})}};
  const CompiledModel sums = compile(model_of(sum, false)), parts = compile(model_of(part, false));
  std::vector<Value> expected;
  for (std::int64_t axis = 0; axis < 3; ++axis) {
    sum.others[0] = scalar(axis);
    expected.push_back(compile(model_of(sum, true)).run(feeds_of(sum, true), {})[0]);
  }
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const base::ParallelWidth width(1 + t);
      Node mine = sum, cut = part;
      for (std::int64_t k = 0; k < 60; ++k) {
        const auto axis = static_cast<std::size_t>(k + t) % 3;
        mine.others[0] = scalar(static_cast<std::int64_t>(axis));
        const Value found = sums.run(feeds_of(mine, false), {})[0];
        wrong += std::memcmp(found.tensor().data(), expected[axis].tensor().data(), found.tensor().bytes()) != 0;
        const std::int64_t from = (k + t) % 7;
        cut.others[0] = ints({from});
        const Value piece = parts.run(feeds_of(cut, false), {})[0];
        wrong += std::memcmp(piece.tensor().data(), x.as<float>() + from * 600, piece.tensor().bytes()) != 0;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

// Axes that each round of a loop brings, and computed ones; outputs in the caller's memory.
TEST(ContentChoice, InBodiesAndInPlaces) {
  GraphBuilder body("body");
  body.input("i", "int64[]").input("c", "bool[]").input("v", "float[3,48,64]");
  body.node("Identity", {"c"}, {"go"}).node("CumSum", {"v", "i"}, {"s"}).node("Mul", {"s", "tenth"}, {"n"});
  body.initializer("tenth", tensor<float>({}, {0.1F})).output("go").output("n");
  ModelBuilder m(21);
  m.input("x", "float[3,48,64]").initializer("m", scalar(3));
  m.node("Loop", {"m", "", "x"}, {"y"}, {graph_attr("body", body.graph())}).output("y");
  const Tensor x = random_tensor(DataType::Float, {3, 48, 64}, 5);
  const Feed feeds[] = {{"x", x}};
  const CompiledModel loop = compile(m);
  const std::vector<Value> found = loop.run(feeds, {});
  ModelBuilder unrolled(21);
  unrolled.input("x", "float[3,48,64]").initializer("tenth", tensor<float>({}, {0.1F}));
  std::string last = "x";
  for (std::int64_t i = 0; i < 3; ++i) {
    const std::string n = std::to_string(i);
    unrolled.initializer("i" + n, scalar(i)).node("CumSum", {last, "i" + n}, {"s" + n});
    unrolled.node("Mul", {"s" + n, "tenth"}, {"n" + n});
    last = "n" + n;
  }
  unrolled.output(last);
  expect_bits(found[0], compile(unrolled).run(feeds, {})[0], "a loop");

  Node n{"CumSum", x, {scalar(2)}};
  const CompiledModel model = compile(model_of(n, false));
  const std::vector<Value> expected = model.run(feeds_of(n, false), {});
  Tensor place(DataType::Float, {3, 48, 64});
  const Placement places[] = {{"y0", Tensor::borrow(DataType::Float, {3, 48, 64}, place.mutable_data())}};
  const std::vector<Value> placed = model.run(feeds_of(n, false), {}, {.places = places});
  EXPECT_EQ(placed[0].tensor().data(), place.data());
  expect_bits(placed[0], expected[0], "a place");
}

TEST(ContentChoice, ThePlanSaysSo) {
  for (const Node& n : {Node{"CumSum", random_tensor(DataType::Float, {3, 48, 64}, 1), {scalar(2)}},
                        Node{"ReduceSum", random_tensor(DataType::Float, {3, 48, 64}, 1), {ints({2})}}}) {
    const CompiledModel model = compile(model_of(n, false));
    const Explanation explained = model.explain(feeds_of(n, false), 1);
    ASSERT_EQ(explained.graph.steps.size(), 2u);
    EXPECT_EQ(explained.graph.steps[1].kernel, "chosen when run");
    EXPECT_FALSE(explained.graph.steps[1].refused.empty());
  }
}

}  // namespace
}  // namespace norn::runtime
