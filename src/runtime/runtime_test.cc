// Runs of whole models: late sizes, subgraphs, sequences, feeds that do not fit, threads, forks, and the same answer
// from every way of running.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

#include "base/child_test.h"
#include "base/subnormals.h"
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
using ops::test::random_tensor;
using ops::test::tensor;
using transform::make_attr;

using Feeds = std::vector<Feed>;

std::vector<Value> run(const CompiledModel& model, const Feeds& feeds) { return model.run(feeds, {}); }

// A small network with most of what kernels do: convolutions, pooling, a residual, a classifier.
ir::Model small_network() {
  ModelBuilder m(15);
  m.input("x", "float[N,3,16,16]");
  m.initializer("w1", random_tensor(DataType::Float, {32, 3, 3, 3}, 1));
  m.initializer("b1", random_tensor(DataType::Float, {32}, 2));
  m.initializer("w2", random_tensor(DataType::Float, {32, 32, 3, 3}, 3));
  m.initializer("fc", random_tensor(DataType::Float, {32 * 8 * 8, 10}, 4));
  m.initializer("fcb", random_tensor(DataType::Float, {10}, 5));
  for (const char* name : {"s", "t", "mean"}) m.initializer(name, random_tensor(DataType::Float, {32}, 6));
  m.initializer("var", tensor<float>({32}, std::vector<float>(32, 0.7f)));
  m.node("Conv", {"x", "w1", "b1"}, {"c1"}, {make_attr("pads", std::vector<std::int64_t>{1, 1, 1, 1})});
  m.node("Relu", {"c1"}, {"r1"});
  m.node("MaxPool", {"r1"}, {"p1"},
         {make_attr("kernel_shape", std::vector<std::int64_t>{2, 2}),
          make_attr("strides", std::vector<std::int64_t>{2, 2})});
  m.node("Conv", {"p1", "w2"}, {"c2"}, {make_attr("pads", std::vector<std::int64_t>{1, 1, 1, 1})});
  m.node("BatchNormalization", {"c2", "s", "t", "mean", "var"}, {"n2"});
  m.node("Add", {"n2", "p1"}, {"a"}).node("Sigmoid", {"a"}, {"r2"});
  m.node("Flatten", {"r2"}, {"f"}).node("Gemm", {"f", "fc", "fcb"}, {"g"});
  m.node("Softmax", {"g"}, {"y"}).output("y");
  return m.build();
}

void expect_close(const Tensor& a, const Tensor& b, double tolerance) {
  ASSERT_EQ(a.dims(), b.dims());
  const auto x = doubles(a), y = doubles(b);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], y[i], tolerance * (1 + std::abs(y[i]))) << i;
}

TEST(Run, FastAndReferenceAndUnoptimisedAgree) {
  const ir::Model document = small_network();
  SessionOptions plain, reference;
  plain.disabled_passes = {"all"};
  reference.disabled_passes = {"all"};
  reference.reference_only = true;
  const CompiledModel fast = compile(document), unoptimised = compile(document, plain),
                      truth = compile(document, reference);
  for (std::int64_t n : {1, 3, 0}) {
    const Tensor x = random_tensor(DataType::Float, {n, 3, 16, 16}, 9);
    const Tensor expected = run(truth, {{"x", x}})[0].tensor();
    expect_close(run(fast, {{"x", x}})[0].tensor(), expected, 1e-4);
    expect_close(run(unoptimised, {{"x", x}})[0].tensor(), expected, 1e-4);
  }
}

TEST(Run, NanGoesThroughFusedOperationsAsThroughSingleOnes) {
  const std::vector<std::string> after{"Relu",    "Exp",  "Abs",      "Neg", "Sqrt",
                                       "Sigmoid", "Tanh", "Softsign", "Erf", "Clip"};
  ModelBuilder m(17);
  m.input("x", "float[1,16,8,8]").initializer("w", random_tensor(DataType::Float, {16, 16, 3, 3}, 1));
  m.initializer("lo", tensor<float>({}, {-1})).initializer("hi", tensor<float>({}, {1}));
  for (const std::string& op : after) {
    m.node("Conv", {"x", "w"}, {"c" + op}, {make_attr("pads", std::vector<std::int64_t>{1, 1, 1, 1})});
    m.node(op, op == "Clip" ? std::vector<std::string>{"c" + op, "lo", "hi"} : std::vector<std::string>{"c" + op},
           {op});
    m.output(op);
  }
  SessionOptions plain;
  plain.disabled_passes = {"all"};
  plain.reference_only = true;
  Tensor x = random_tensor(DataType::Float, {1, 16, 8, 8}, 2);
  x.as_mutable<float>()[3 * 64 + 36] = std::nanf("");
  const auto fused = run(compile(m.build()), {{"x", x}}), single = run(compile(m.build(), plain), {{"x", x}});
  for (std::size_t k = 0; k < after.size(); ++k) {
    const auto a = doubles(fused[k].tensor()), b = doubles(single[k].tensor());
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(std::isnan(a[i]), std::isnan(b[i])) << after[k] << " at " << i;
  }
}

TEST(Run, SameBitsForAnyNumberOfThreads) {
  const ir::Model document = small_network();
  const Tensor x = random_tensor(DataType::Float, {2, 3, 16, 16}, 10);
  std::vector<Tensor> results;
  for (int threads : {1, 2, 3}) {
    SessionOptions options;
    options.intra_op_num_threads = threads;
    results.push_back(run(compile(document, options), {{"x", x}})[0].tensor());
  }
  for (const Tensor& r : results) EXPECT_EQ(std::memcmp(r.data(), results[0].data(), r.bytes()), 0);
}

#if defined(__x86_64__) || defined(__aarch64__)
// Products are 0 where they would be subnormal; other operations, reference kernels and the thread itself keep what
// is, also behind a run that fails.
TEST(Run, FastProductsFlushSubnormals) {
  constexpr std::int64_t n = 96;
  Tensor x(DataType::Float, {n, n});
  std::fill_n(x.as_mutable<float>(), n * n, 1e-30f);
  ModelBuilder m(17);
  m.input("x", "float[96,96]").input("at", "int64[1]").initializer("w", tensor<float>({1}, {1e-10}));
  m.initializer("to", tensor<std::int64_t>({2}, {n, n}));
  m.node("Mul", {"x", "w"}, {"kept"}).node("Expand", {"w", "to"}, {"matrix"});
  m.node("MatMul", {"x", "matrix"}, {"product"}).node("Gather", {"product", "at"}, {"row"});
  m.output("kept").output("product").output("row");
  const ir::Model document = m.build();
  const auto compiled = [&](int threads, bool flush, bool reference_only) {
    SessionOptions options;
    options.intra_op_num_threads = threads;
    options.flush_subnormals = flush;
    options.reference_only = reference_only;
    return CompiledModel(document, {}, options);
  };
  const Tensor first = tensor<std::int64_t>({1}, {0}), beyond = tensor<std::int64_t>({1}, {n});
  for (const int threads : {1, 2})
    for (const bool flush : {false, true})
      for (const bool reference_only : {false, true}) {
        const CompiledModel model = compiled(threads, flush, reference_only);
        for (int turn = 0; turn < 3; ++turn) {
          const auto values = run(model, {{"x", x}, {"at", first}});
          EXPECT_THROW(run(model, {{"x", x}, {"at", beyond}}), Error);
          EXPECT_FALSE(base::flushes_subnormals());
          for (const double v : doubles(values[0].tensor())) ASSERT_NEAR(v, 1e-40, 1e-44);
          const double product = flush && !reference_only ? 0 : n * 1e-40;
          for (const double v : doubles(values[1].tensor())) ASSERT_NEAR(v, product, 1e-43);
        }
      }
}
#endif

TEST(Run, EightThreadsOnOneSessionAndEightSessionsAtOnce) {
  const ir::Model document = small_network();
  const CompiledModel shared = compile(document);
  std::vector<Tensor> inputs, expected;
  for (std::uint32_t i = 0; i < 8; ++i) {
    inputs.push_back(random_tensor(DataType::Float, {1 + i % 3, 3, 16, 16}, 20 + i));
    expected.push_back(run(shared, {{"x", inputs.back()}})[0].tensor());
  }
  std::vector<int> wrong(16, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 16; ++t)
    threads.emplace_back([&, t] {
      std::unique_ptr<CompiledModel> own;
      if (t >= 8) own = std::make_unique<CompiledModel>(document, ir::ExternalReader{}, SessionOptions{});
      for (int k = 0; k < 5; ++k) {
        const std::size_t i = (t + static_cast<std::size_t>(k)) % 8;
        const Tensor y = run(own ? *own : shared, {{"x", inputs[i]}})[0].tensor();
        wrong[t] += y.dims() != expected[i].dims() || std::memcmp(y.data(), expected[i].data(), y.bytes()) != 0;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, std::vector<int>(16, 0));
}

TEST(Run, AForkedChildRuns) {
  const CompiledModel model = compile(small_network());
  const Tensor x = random_tensor(DataType::Float, {2, 3, 16, 16}, 30);
  const Tensor expected = run(model, {{"x", x}})[0].tensor();
  const pid_t child = fork();
  if (child == 0) {
    const Tensor y = run(model, {{"x", x}})[0].tensor();
    _exit(std::memcmp(y.data(), expected.data(), y.bytes()) == 0 ? 0 : 1);
  }
  const int status = base::test::status_of(child, std::chrono::seconds(60));
  EXPECT_TRUE(base::test::ended_with(status, 0)) << status;
  EXPECT_EQ(std::memcmp(run(model, {{"x", x}})[0].tensor().data(), expected.data(), expected.bytes()), 0);
}

TEST(Run, SizesThatOnlyRunningTells) {
  ModelBuilder m(13);
  m.input("x", "float[N]").initializer("one", tensor<std::int64_t>({1}, {1}));
  m.node("NonZero", {"x"}, {"i"}).node("Squeeze", {"i"}, {"flat"});
  m.node("Gather", {"x", "flat"}, {"picked"}).node("Relu", {"picked"}, {"y"}).node("Tanh", {"x"}, {"t"});
  m.node("Concat", {"y", "t"}, {"z"}, {make_attr("axis", std::int64_t{0})}).output("y").output("i").output("z");
  const CompiledModel model = compile(m.build());
  for (const std::vector<float>& values : {std::vector<float>{0, 2, 0, -3}, {0, 0, 0, 0}, {1, 2, 3, 4}, {5, 0, 0, 1}}) {
    const auto out = run(model, {{"x", tensor<float>({4}, values)}});
    std::vector<double> expected, index, all;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] != 0) {
        expected.push_back(std::max(0.0f, values[i]));
        index.push_back(static_cast<double>(i));
      }
    EXPECT_EQ(doubles(out[0].tensor()), expected);
    EXPECT_EQ(doubles(out[1].tensor()), index);
    EXPECT_EQ(out[1].tensor().dims(), (Shape{1, static_cast<std::int64_t>(index.size())}));
    EXPECT_EQ(out[2].tensor().size(), static_cast<std::int64_t>(expected.size() + 4));
  }
}

TEST(Run, IfTakesOneBranchAndSeesOuterValues) {
  GraphBuilder yes("yes"), no("no");
  yes.node("Add", {"x", "h"}, {"t"}).output("t", "");
  no.node("Concat", {"h", "h"}, {"e"}, {make_attr("axis", std::int64_t{0})}).output("e", "");
  ModelBuilder m(16);
  m.input("c", "bool[]").input("x", "float[3]").node("Exp", {"x"}, {"h"});
  m.node("If", {"c"}, {"y"}, {graph_attr("then_branch", yes.graph()), graph_attr("else_branch", no.graph())});
  m.node("Neg", {"y"}, {"z"}).output("z");
  const CompiledModel model = compile(m.build());
  const Tensor x = tensor<float>({3}, {0, 1, -1});
  for (bool c : {true, false, true}) {
    Tensor condition(DataType::Bool, {});
    *condition.as_mutable<std::uint8_t>() = c;
    const Tensor z = run(model, {{"c", condition}, {"x", x}})[0].tensor();
    ASSERT_EQ(z.size(), c ? 3 : 6);
    for (std::int64_t i = 0; i < z.size(); ++i) {
      const double v = x.as<float>()[i % 3];
      EXPECT_NEAR(z.as<float>()[i], c ? -(v + std::exp(v)) : -std::exp(v), 1e-6);
    }
  }
}

TEST(Run, SequencesPassThroughAndOwnTheirElements) {
  ModelBuilder m(13);
  m.input("x", "float[2]").input("k", "int64[]").node("Exp", {"x"}, {"e"}).node("Neg", {"x"}, {"n"});
  m.node("SequenceConstruct", {"e", "n", "x"}, {"s"}).node("SequenceAt", {"s", "k"}, {"a"});
  m.node("Abs", {"a"}, {"y"}).output("y").output("s");
  const CompiledModel model = compile(m.build());
  const Tensor x = tensor<float>({2}, {-1, 2});
  std::vector<Value> kept;
  for (std::int64_t k : {0, 1, 2, -1}) {
    const auto out = run(model, {{"x", x}, {"k", tensor<std::int64_t>({}, {k})}});
    const double first = out[0].tensor().as<float>()[0];
    EXPECT_NEAR(first, k == 0 ? std::exp(-1.0) : 1.0, 1e-6);
    kept.push_back(out[1]);
  }
  for (const Value& s : kept) {
    ASSERT_EQ(s.sequence().items.size(), 3u);
    EXPECT_NEAR(s.sequence().items[0].tensor().as<float>()[1], std::exp(2.0), 1e-5);
    EXPECT_TRUE(s.sequence().items[2].tensor().owns());
  }
  const std::string error = error_of(model, {{"x", x}, {"k", tensor<std::int64_t>({}, {3})}});
  EXPECT_NE(error.find("(SequenceAt)"), std::string::npos) << error;
}

TEST(Run, OutputsThatAreInputsConstantsViewsOrTheSameValue) {
  ModelBuilder m(13);
  m.input("x", "float[2,2]").initializer("c", tensor<float>({2}, {7, 8}));
  m.node("Identity", {"x"}, {"same"}).node("Flatten", {"x"}, {"flat"}, {make_attr("axis", std::int64_t{0})});
  m.node("Relu", {"x"}, {"r"}).node("Flatten", {"r"}, {"rf"}, {make_attr("axis", std::int64_t{0})});
  m.output("same").output("c").output("flat").output("r").output("rf").output("r");
  const CompiledModel model = compile(m.build());
  Tensor x = tensor<float>({2, 2}, {1, -2, 3, -4});
  const auto out = run(model, {{"x", x}});
  x.as_mutable<float>()[0] = 100;  // the caller's memory is the caller's
  EXPECT_EQ(doubles(out[0].tensor()), (std::vector<double>{1, -2, 3, -4}));
  EXPECT_EQ(doubles(out[1].tensor()), (std::vector<double>{7, 8}));
  EXPECT_EQ(doubles(out[2].tensor()), (std::vector<double>{1, -2, 3, -4}));
  EXPECT_EQ(out[2].tensor().dims(), (Shape{1, 4}));
  EXPECT_EQ(doubles(out[3].tensor()), (std::vector<double>{1, 0, 3, 0}));
  EXPECT_EQ(out[4].tensor().dims(), (Shape{1, 4}));
  EXPECT_EQ(doubles(out[5].tensor()), (std::vector<double>{1, 0, 3, 0}));
}

TEST(Run, Strings) {
  ModelBuilder m(13);
  m.input("x", "string[2]").initializer("c", tensor<std::string>({1}, {"long enough to be on the heap, surely"}));
  m.node("Concat", {"x", "c"}, {"y"}, {make_attr("axis", std::int64_t{0})});
  m.node("Reshape", {"y", "shape"}, {"z"})
      .initializer("shape", tensor<std::int64_t>({2}, {3, 1}))
      .output("z")
      .output("y");
  const CompiledModel model = compile(m.build());
  for (int k = 0; k < 3; ++k) {
    const auto out = run(model, {{"x", tensor<std::string>({2}, {"a", "b"})}});
    EXPECT_EQ(out[0].tensor().dims(), (Shape{3, 1}));
    EXPECT_EQ(out[0].tensor().as<std::string>()[2], "long enough to be on the heap, surely");
    EXPECT_EQ(out[1].tensor().as<std::string>()[0], "a");
  }
}

TEST(Run, FeedsAreHeldAgainstTheDeclaration) {
  ModelBuilder m(14);
  m.input("a", "float[N,4]").input("b", "float[N,4]").node("Add", {"a", "b"}, {"y"}).output("y", "float[N,4]");
  const CompiledModel model = compile(m.build());
  const Tensor two = random_tensor(DataType::Float, {2, 4}, 1), three = random_tensor(DataType::Float, {3, 4}, 2);
  auto expect = [&](const Feeds& feeds, std::initializer_list<std::string_view> parts) {
    const std::string error = error_of(model, feeds);
    for (std::string_view part : parts) EXPECT_NE(error.find(part), std::string::npos) << part << "\n" << error;
  };
  expect({{"a", two}}, {"\"b\" was not fed", "float[N,4]"});
  expect({{"a", two}, {"b", two}, {"c", two}}, {"no input \"c\"", "\"a\", \"b\""});
  expect({{"a", two}, {"b", three}}, {"\"N\" is 2", "\"a\"", "3", "\"b\""});
  expect({{"a", two}, {"b", random_tensor(DataType::Double, {2, 4}, 3)}}, {"double", "wants float", "input \"b\""});
  expect({{"a", two}, {"b", random_tensor(DataType::Float, {4}, 3)}}, {"rank is 1", "rank 2"});
  expect({{"a", two}, {"b", random_tensor(DataType::Float, {2, 5}, 3)}}, {"dimension 1 is 5", "wants 4"});
  expect({{"a", two}, {"a", two}}, {"fed twice"});
  EXPECT_EQ(run(model, {{"a", three}, {"b", three}})[0].tensor().dims(), (Shape{3, 4}));
  EXPECT_THROW(model.run(Feeds{{"a", two}, {"b", two}}, std::vector<std::string>{"nope"}), Error);
}

TEST(Run, DefaultsOfInputsFromIrFour) {
  ModelBuilder m(14);
  m.input("x", "float[2]").input("w", "float[2]").initializer("w", tensor<float>({2}, {10, 20}));
  m.node("Add", {"x", "w"}, {"y"}).output("y");
  const CompiledModel model = compile(m.build());
  const Tensor x = tensor<float>({2}, {1, 2});
  EXPECT_EQ(doubles(run(model, {{"x", x}})[0].tensor()), (std::vector<double>{11, 22}));
  EXPECT_EQ(doubles(run(model, {{"x", x}, {"w", x}})[0].tensor()), (std::vector<double>{2, 4}));
  ASSERT_EQ(model.overridable().size(), 1u);
  EXPECT_EQ(model.inputs().size(), 1u);
}

TEST(Run, ShapesThatContradictWhileRunningNameTheNode) {
  ModelBuilder m(14);
  m.input("a", "float[N,K]").input("b", "float[M,P]").node("MatMul", {"a", "b"}, {"y"}).output("y");
  const CompiledModel model = compile(m.build());
  const std::string error = error_of(
      model, {{"a", random_tensor(DataType::Float, {2, 3}, 1)}, {"b", random_tensor(DataType::Float, {4, 5}, 2)}});
  EXPECT_NE(error.find("node 0 \"n0\" (MatMul)"), std::string::npos) << error;
  EXPECT_NE(error.find("3"), std::string::npos) << error;
}

TEST(Explain, NamesKernelsAndRefusals) {
  ModelBuilder m(14);
  m.input("x", "double[2,3]").initializer("w", random_tensor(DataType::Double, {3, 4}, 1));
  m.node("MatMul", {"x", "w"}, {"y"})
      .node("Reshape", {"y", "s"}, {"z"})
      .initializer("s", tensor<std::int64_t>({1}, {-1}));
  m.node("Relu", {"z"}, {"out"}).output("out");
  const ExplainedGraph explained = compile(m.build()).explain({}, 1).graph;
  ASSERT_EQ(explained.steps.size(), 2u);
  const ExplainedStep& matmul = explained.steps[0];
  EXPECT_EQ(matmul.kernel, "contraction");
  EXPECT_EQ(matmul.operations[0].op_type, "MatMul");
  EXPECT_NE(matmul.operations[0].path().find("node 0 \"n0\" (MatMul)"), std::string::npos);
  ASSERT_FALSE(matmul.refused.empty());
  EXPECT_EQ(matmul.refused[0].kernel + ": " + matmul.refused[0].reason, "matmul: computes float, not double");
  ASSERT_EQ(matmul.inputs.size(), 2u);
  EXPECT_EQ(matmul.inputs[1].type, DataType::Double);
  EXPECT_EQ(matmul.inputs[1].dims, (Shape{3, 4}));
  ASSERT_EQ(matmul.outputs.size(), 1u);
  EXPECT_EQ(matmul.outputs[0].dims, (Shape{2, 4}));
  ASSERT_EQ(explained.views.size(), 1u);
  EXPECT_EQ(explained.views[0].op_type, "Reshape");
  EXPECT_EQ(explained.arena_bytes, 64u);  // of y; the outputs' memory is not the arena's
}

TEST(Explain, WhatOnlyRunningTells) {
  ModelBuilder m(14);
  m.input("x", "float[N]").node("NonZero", {"x"}, {"i"}).node("Neg", {"i"}, {"n"}).node("Abs", {"n"}, {"y"});
  m.node("Shape", {"x"}, {"s"}).output("y").output("s");
  const ExplainedGraph explained = compile(m.build()).explain({}, 4).graph;
  ASSERT_EQ(explained.steps.size(), 1u);
  EXPECT_TRUE(explained.steps[0].late);
  EXPECT_EQ(explained.steps[0].operations[0].op_type, "NonZero");
  EXPECT_EQ(explained.steps[0].inputs.at(0).dims, Shape{4});
  ASSERT_EQ(explained.known_from_shapes.size(), 1u);
  EXPECT_EQ(explained.known_from_shapes[0].op_type, "Shape");
  std::vector<std::string> waiting;
  for (const ExplainedStep& step : explained.waiting)
    for (const ExplainedOperation& o : step.operations) waiting.push_back(o.op_type);
  EXPECT_EQ(waiting, (std::vector<std::string>{"Neg", "Abs"}));
}

// Branches read the value "a" around them, whose sizes are N and the number that x has of elements other than zero.
TEST(Explain, BodiesOfControlFlow) {
  const auto branch = [](const char* op, const char* reads) {
    return test::GraphBuilder(op).node(op, {reads}, {"r"}).output("r").graph();
  };
  ModelBuilder m(14);
  m.input("x", "float[N,2]").input("c", "bool[]");
  m.node("Sqrt", {"x"}, {"a"}).node("NonZero", {"x"}, {"i"});
  m.node("If", {"c"}, {"y"},
         {test::graph_attr("then_branch", branch("Neg", "a")), test::graph_attr("else_branch", branch("Abs", "a"))});
  m.node("If", {"c"}, {"z"},
         {test::graph_attr("then_branch", branch("Neg", "i")), test::graph_attr("else_branch", branch("Abs", "i"))});
  m.output("y").output("z");
  const ExplainedGraph explained = compile(m.build()).explain({}, 3).graph;
  const ExplainedStep* flow = nullptr;
  for (const ExplainedStep& step : explained.steps)
    if (!step.graphs.empty()) flow = &step;
  ASSERT_NE(flow, nullptr);
  EXPECT_EQ(flow->kernel, "control flow");
  ASSERT_EQ(flow->graphs.size(), 2u);
  EXPECT_EQ(flow->graphs[1].attribute, "else_branch");
  for (const ExplainedGraph& body : flow->graphs) {
    EXPECT_TRUE(body.planned) << body.why_not;
    ASSERT_EQ(body.steps.size(), 1u);
    EXPECT_EQ(body.steps[0].outputs.at(0).dims, (Shape{3, 2}));
    EXPECT_NE(body.steps[0].operations[0].path().find("attribute \"" + body.attribute), std::string::npos);
  }
  ASSERT_EQ(explained.waiting.size(), 1u);
  ASSERT_EQ(explained.waiting[0].graphs.size(), 2u);
  EXPECT_FALSE(explained.waiting[0].graphs[0].planned);
  EXPECT_FALSE(explained.waiting[0].graphs[0].why_not.empty());
}

// Without a rank there is nothing to plan with, and no shape is made up.
TEST(Explain, AnInputWithoutARank) {
  const auto branch = [](const char* op) { return test::GraphBuilder(op).node(op, {"x"}, {"r"}).output("r").graph(); };
  ModelBuilder m(14);
  m.input("x", "float").input("c", "bool[]");
  m.node("If", {"c"}, {"y"},
         {test::graph_attr("then_branch", branch("Neg")), test::graph_attr("else_branch", branch("Abs"))});
  m.node("Relu", {"x"}, {"z"}).output("y").output("z");
  const CompiledModel model = compile(m.build());
  const ExplainedGraph explained = model.explain({}, 3).graph;
  ASSERT_EQ(explained.steps.size(), 2u);
  for (const ExplainedGraph& body : explained.steps[0].graphs) {
    EXPECT_FALSE(body.planned);
    EXPECT_NE(body.why_not.find("\"x\""), std::string::npos) << body.why_not;
  }
  EXPECT_TRUE(explained.steps[1].inputs.empty());
  const Feed fed[] = {{"x", Tensor(DataType::Float, {2})}};
  const ExplainedGraph known = model.explain(fed, 3).graph;
  EXPECT_TRUE(known.steps.at(0).graphs.at(0).planned);
  EXPECT_EQ(known.steps.at(1).inputs.at(0).dims, (Shape{2}));
}

// Outputs whose sizes their kernels determine, the second from the first, and thresholds that are fed.
TEST(Run, KernelsThatDetermineSizes) {
  ModelBuilder m(21);
  m.input("boxes", "float[1,200,4]").input("scores", "float[1,2,200]").input("most", "int64").input("share", "float");
  m.node("NonMaxSuppression", {"boxes", "scores", "most", "share"}, {"y"}).node("NonZero", {"y"}, {"z"});
  m.output("y").output("z");
  SessionOptions reference;
  reference.reference_only = true;
  const CompiledModel fast = compile(m.build()), truth = compile(m.build(), reference);
  const auto feeds_of = [](std::int64_t most, float share) {
    return Feeds{{"boxes", random_tensor(DataType::Float, {1, 200, 4}, 1)},
                 {"scores", random_tensor(DataType::Float, {1, 2, 200}, 2)},
                 {"most", tensor<std::int64_t>({}, {most})},
                 {"share", tensor<float>({}, {share})}};
  };
  for (const std::int64_t most : {0, 3, 500})
    for (const float share : {0.0f, 0.3f, 1.0f}) {
      const auto got = run(fast, feeds_of(most, share)), want = run(truth, feeds_of(most, share));
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(got[i].tensor().dims(), want[i].tensor().dims());
        EXPECT_EQ(doubles(got[i].tensor()), doubles(want[i].tensor()));
      }
    }
  const std::string said = error_of(fast, feeds_of(3, 1.5f));
  EXPECT_NE(said.find("iou_threshold is 1.5"), std::string::npos) << said;
  EXPECT_NE(said.find("NonMaxSuppression"), std::string::npos) << said;
  const ExplainedGraph explained = fast.explain(feeds_of(3, 0.3f), 1).graph;
  EXPECT_EQ(explained.steps.at(0).kernel, "stripes");
}

// A branch that contradicts the sizes at hand is not planned, and is not an error unless it is taken.
TEST(Explain, ABranchThatDoesNotFit) {
  ModelBuilder m(14);
  m.input("x", "float[N]").input("w", "float[M]").input("c", "bool[]");
  const auto sum = test::GraphBuilder("sum").node("Add", {"x", "w"}, {"r"}).output("r").graph();
  const auto same = test::GraphBuilder("same").node("Neg", {"x"}, {"r"}).output("r").graph();
  m.node("If", {"c"}, {"y"}, {test::graph_attr("then_branch", sum), test::graph_attr("else_branch", same)});
  m.output("y");
  const Feed feeds[] = {{"x", Tensor(DataType::Float, {2})}, {"w", Tensor(DataType::Float, {3})}};
  const ExplainedGraph explained = compile(m.build()).explain(feeds, 1).graph;
  ASSERT_EQ(explained.steps.size(), 1u);
  ASSERT_EQ(explained.steps[0].graphs.size(), 2u);
  EXPECT_FALSE(explained.steps[0].graphs[0].planned);
  EXPECT_FALSE(explained.steps[0].graphs[0].why_not.empty());
  EXPECT_TRUE(explained.steps[0].graphs[1].planned);
}

}  // namespace
}  // namespace norn::runtime
