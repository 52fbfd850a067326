// Plans where features meet: values known from the shapes, fused operations, views, sizes that are only known by
// running, several shapes in turn, and what is kept of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "norn/error.h"
#include "ops/tensor/shape/chain_test.h"
#include "runtime/arena_pool.h"
#include "runtime/compiled_model.h"
#include "runtime/pack_store.h"
#include "runtime/plan_cache.h"
#include "runtime/plan_key.h"
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
using ops::test::tensor_attr;
using transform::make_attr;

// The sanitizers' allocators end the process where there is no memory.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kAllocationMayFail = false;
#else
constexpr bool kAllocationMayFail = true;
#endif

using Feeds = std::vector<Feed>;
using Numbers = std::vector<double>;

Tensor run(const CompiledModel& model, const Feeds& feeds) { return model.run(feeds, {})[0].tensor(); }

Tensor filled(Shape dims, float value) {
  Tensor t(DataType::Float, std::move(dims));
  std::fill_n(t.as_mutable<float>(), t.size(), value);
  return t;
}

// --- values known from the shapes ---

TEST(Known, FirstPartOfAFusedNode) {
  ModelBuilder m(18);
  m.input("x", "float[N]").initializer("unused", tensor<float>({}, {0}));
  m.node("Shape", {"x"}, {"s"})
      .node("ConstantOfShape", {"s"}, {"one"}, {tensor_attr("value", tensor<float>({1}, {1}))});
  m.node("Neg", {"one"}, {"t"}).node("Add", {"t", "x"}, {"y"}).output("y");
  const CompiledModel model = compile(m);
  EXPECT_EQ(doubles(run(model, {{"x", tensor<float>({3}, {10, 20, 30})}})), (Numbers{9, 19, 29}));
  EXPECT_EQ(doubles(run(model, {{"x", tensor<float>({1}, {5})}})), (Numbers{4}));
}

TEST(Known, LastPartOfAFusedNode) {
  ModelBuilder m(21);
  m.input("x", "float[N]").initializer("one", tensor<float>({1}, {1})).initializer("k", tensor<float>({1}, {-10000}));
  m.node("Shape", {"x"}, {"s"}).node("Cast", {"s"}, {"c"}, {make_attr("to", std::int64_t{1})});
  m.node("Sub", {"one", "c"}, {"d"}).node("Mul", {"d", "k"}, {"y"}).output("y");
  EXPECT_EQ(doubles(run(compile(m), {{"x", filled({3}, 0)}})), (Numbers{20000}));
}

// The operand of the second part has one row for each of x: whether it is larger than the first part's value depends on
// the size alone.
TEST(Known, OperandLargerThanTheRunningValue) {
  ModelBuilder m(18);
  m.input("x", "float[N,1]").input("b", "float[M]");
  m.node("Neg", {"x"}, {"n"}).node("Mul", {"n", "b"}, {"y"}).output("y");
  const CompiledModel model = compile(m);
  const Tensor x = tensor<float>({2, 1}, {1, 2});
  EXPECT_EQ(doubles(run(model, {{"x", x}, {"b", tensor<float>({1}, {3})}})), (Numbers{-3, -6}));
  EXPECT_EQ(doubles(run(model, {{"x", x}, {"b", tensor<float>({2}, {3, 4})}})), (Numbers{-3, -4, -6, -8}));
}

TEST(Known, ReadBehindALateValue) {
  ModelBuilder m(18);
  m.input("x", "float[N,M]").initializer("a", tensor<std::int64_t>({1}, {1}));
  m.node("Shape", {"x"}, {"s"}).node("Unsqueeze", {"s", "a"}, {"u"});
  m.node("NonZero", {"x"}, {"z"}).node("Sub", {"u", "z"}, {"y"}).output("y");
  Tensor x = filled({2, 5}, 0);
  x.as_mutable<float>()[1] = x.as_mutable<float>()[9] = 1;
  const Tensor y = run(compile(m), {{"x", x}});
  EXPECT_EQ(y.dims(), (Shape{2, 2}));
  EXPECT_EQ(doubles(y), (Numbers{2, 1, 4, 1}));
}

// B follows from the number of rows: its memory goes with its plan, and its address comes again.
TEST(Known, MatrixThatFollowsFromTheRows) {
  ModelBuilder m(21);
  m.input("x", "float[N,16]")
      .initializer("z", tensor<std::int64_t>({1}, {0}))
      .initializer("e", tensor<std::int64_t>({1}, {1}));
  m.initializer("ones", filled({256}, 1)).initializer("to", tensor<std::int64_t>({2}, {16, 16}));
  m.node("Shape", {"x"}, {"s"}).node("Slice", {"s", "z", "e"}, {"n"});
  m.node("Cast", {"n"}, {"f"}, {make_attr("to", std::int64_t{1})}).node("Mul", {"f", "ones"}, {"b"});
  m.node("Reshape", {"b", "to"}, {"b2"}).node("MatMul", {"x", "b2"}, {"y"}).output("y");
  const CompiledModel model = compile(m);
  for (int k = 0; k < 300; ++k) {
    const std::int64_t n = 1 + k * 37 % 59;
    const Tensor y = run(model, {{"x", filled({n, 16}, 1)}});
    for (double v : doubles(y)) ASSERT_EQ(v, 16.0 * static_cast<double>(n)) << k;
  }
}

// --- late values ---

// What a state planned that took over kept segments is what one run planned in one go.
TEST(Late, PlansFromKeptSegmentsAnywhere) {
  ModelBuilder m(18);
  m.input("x", "float[N]").initializer("one", tensor<float>({}, {1})).initializer("a", tensor<std::int64_t>({1}, {0}));
  std::string before = "x";
  for (int i = 0; i < 5; ++i) {
    const std::string n = std::to_string(i);
    m.node("NonZero", {before}, {"z" + n}).node("Squeeze", {"z" + n, "a"}, {"q" + n});
    m.node("Gather", {before, "q" + n}, {"g" + n}).node("Sub", {"g" + n, "one"}, {"s" + n});
    before = "s" + n;
    m.output(before);
  }
  m.node("Shape", {"x"}, {"n"}).output("n");
  const CompiledModel model = compile(m);
  std::uint32_t seed = 1;
  for (int k = 0; k < 200; ++k) {
    std::vector<float> values;
    for (int i = 0; i < 8; ++i) values.push_back(static_cast<float>((seed = seed * 1664525 + 1013904223) >> 24 & 3));
    const auto out = model.run(Feeds{{"x", tensor<float>({8}, values)}}, {});
    for (int i = 0; i < 5; ++i) {
      Numbers next;
      for (float& v : values)
        if (v != 0) next.push_back(v - 1);
      EXPECT_EQ(doubles(out[static_cast<std::size_t>(i)].tensor()), next);
      values.assign(next.begin(), next.end());
    }
    EXPECT_EQ(doubles(out[5].tensor()), (Numbers{8}));
  }
}

// A chain of late nodes costs what its nodes cost: the segments of the end must not hold what those of the start know.
TEST(Late, PlanOfALongChainStaysSmall) {
  const auto bytes_of = [](int n) {
    ModelBuilder m(18);
    m.input("x", "float[N,M]").initializer("one", tensor<float>({}, {1}));
    std::string before = "x";
    for (int i = 0; i < n; ++i) {
      const std::string k = std::to_string(i);
      m.node("NonZero", {before}, {"z" + k}).node("Cast", {"z" + k}, {"c" + k}, {make_attr("to", std::int64_t{1})});
      m.node("ReduceMax", {"c" + k}, {"r" + k}).node("Add", {"r" + k, "one"}, {"a" + k});
      before = "a" + k;
    }
    m.output(before);
    const CompiledModel model = compile(m);
    EXPECT_EQ(doubles(run(model, {{"x", filled({1, 1}, 1)}})), (Numbers{1}));
    return model.plan_bytes();
  };
  EXPECT_LT(bytes_of(200), 6 * bytes_of(50));
}

// Each output is the caller's to write into.
TEST(Views, OutputsShareNoMemory) {
  ModelBuilder m(18);
  m.input("x", "float[N]").node("Neg", {"x"}, {"a"}).node("Identity", {"a"}, {"b"}).output("a").output("b").output("a");
  const auto out = compile(m).run(Feeds{{"x", tensor<float>({2}, {1, 2})}}, {});
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(doubles(out[i].tensor()), (Numbers{-1, -2}));
    for (std::size_t k = 0; k < i; ++k) EXPECT_NE(out[i].tensor().data(), out[k].tensor().data());
  }
}

// Nodes that run on whole values may hand on what they were given: a loop that does not run, a sequence.
TEST(Views, OutputsShareNoMemoryThatNodesHandOn) {
  GraphBuilder body("body");
  body.input("i", "int64[]").input("c", "bool[]").input("v", "int64[A,B]").node("Identity", {"c"}, {"co"});
  body.node("Neg", {"v"}, {"next"}).output("co", "bool[]").output("next", "int64[A,B]");
  ModelBuilder m(18);
  m.input("x", "float[N]").input("w", "int64[A,B]").initializer("none", tensor<std::int64_t>({}, {0}));
  m.node("NonZero", {"x"}, {"z"});
  m.node("Loop", {"none", "", "z"}, {"a"}, {test::graph_attr("body", body.graph())});
  m.node("Loop", {"none", "", "w"}, {"b"}, {test::graph_attr("body", body.graph())});
  m.node("SequenceConstruct", {"z", "w"}, {"s"}).output("z").output("a").output("b").output("s");
  const CompiledModel model = compile(m);
  const Tensor w = tensor<std::int64_t>({1, 2}, {3, 4});
  const std::vector<std::string> names = {"z", "a", "b", "a", "s", "s"};
  const auto out = model.run(Feeds{{"x", tensor<float>({2}, {1, 2})}, {"w", w}}, names);
  std::vector<Tensor> parts = {w};
  for (const Value& value : out) {
    if (value.is_tensor()) parts.push_back(value.tensor());
    if (value.is_sequence())
      for (const Value& item : value.sequence().items) parts.push_back(item.tensor());
  }
  ASSERT_EQ(parts.size(), 9u);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(doubles(parts[i]), (i == 0 || i == 3 || i == 6 || i == 8 ? Numbers{3, 4} : Numbers{0, 1})) << i;
    for (std::size_t k = 0; k < i; ++k) EXPECT_NE(parts[i].data(), parts[k].data()) << i << ", " << k;
  }
}

// The sum is made in a layout that its second operand, of one dimension less, does not have: it cannot lie in its
// place.
TEST(Layouts, SumBesideAnOperandOfLowerRank) {
  ModelBuilder m(18);
  m.input("x", "float[1,3,16,16]")
      .input("u", "float[8,16,16]")
      .initializer("w", random_tensor(DataType::Float, {8, 3, 3, 3}, 1));
  const std::vector<std::int64_t> pads{1, 1, 1, 1}, window{2, 2};
  m.node("Conv", {"x", "w"}, {"c"}, {make_attr("pads", pads)}).node("Exp", {"u"}, {"t"}).node("Add", {"c", "t"}, {"y"});
  m.node("MaxPool", {"y"}, {"p"}, {make_attr("kernel_shape", window)});
  m.node("MaxPool", {"c"}, {"q"}, {make_attr("kernel_shape", window)}).output("p").output("q");
  SessionOptions reference;
  reference.reference_only = true;
  reference.disabled_passes = {"all"};
  const Feeds feeds{{"x", random_tensor(DataType::Float, {1, 3, 16, 16}, 2)},
                    {"u", random_tensor(DataType::Float, {8, 16, 16}, 3)}};
  const auto fast = doubles(run(compile(m), feeds)), truth = doubles(run(compile(m, reference), feeds));
  for (std::size_t i = 0; i < truth.size(); ++i) ASSERT_NEAR(fast[i], truth[i], 1e-4 * (1 + std::abs(truth[i]))) << i;
}

// --- contradictions that only the sizes show ---

// In the shape input of Reshape, a size that turns out 0 copies, and one that turns out -1 follows from the others.
TEST(Contradictions, AreNotSeenInWhatReshapeReadsOtherwise) {
  ModelBuilder m(18);
  m.input("x", "float[M,N]")
      .initializer("rest", tensor<std::int64_t>({1}, {-1}))
      .initializer("one", tensor<std::int64_t>({1}, {1}));
  m.initializer("two", tensor<std::int64_t>({1}, {2})).initializer("zero", tensor<std::int64_t>({1}, {0}));
  m.node("Shape", {"x"}, {"s"}).node("Slice", {"s", "one", "two"}, {"n"}).node("Slice", {"s", "zero", "one"}, {"m"});
  m.node("Concat", {"n", "rest"}, {"to"}, {make_attr("axis", std::int64_t{0})}).node("Reshape", {"x", "to"}, {"y"});
  m.node("Sub", {"m", "two"}, {"less"}).initializer("three", tensor<std::int64_t>({1}, {3}));
  m.node("Concat", {"less", "three"}, {"to2"}, {make_attr("axis", std::int64_t{0})})
      .node("Reshape", {"x", "to2"}, {"z"});
  m.output("y").output("z");
  ModelBuilder only_y = m;
  only_y.graph().output.pop_back();
  const CompiledModel model = compile(only_y), both = compile(m);
  EXPECT_EQ(run(model, {{"x", filled({2, 6}, 1)}}).dims(), (Shape{6, 2}));
  EXPECT_EQ(run(model, {{"x", filled({3, 0}, 1)}}).dims(), (Shape{3, 0}));
  const auto out = both.run(Feeds{{"x", filled({1, 9}, 1)}}, {});
  EXPECT_EQ(out[1].tensor().dims(), (Shape{3, 3}));
}

// Neither are they seen in what follows from such a size.
TEST(Contradictions, AreNotSeenBehindCopiedSizes) {
  ModelBuilder m(18);
  m.input("x", "float[A,B]").initializer("k", filled({1, 3}, 5)).initializer("one", tensor<std::int64_t>({2}, {1, 0}));
  m.node("Shape", {"x"}, {"s"}).node("Sub", {"s", "one"}, {"to"}).node("Reshape", {"x", "to"}, {"r"});
  m.node("Concat", {"r", "k"}, {"o"}, {make_attr("axis", std::int64_t{0})}).output("o");
  EXPECT_EQ(run(compile(m), {{"x", filled({1, 3}, 1)}}).dims(), (Shape{2, 3}));
}

TEST(Contradictions, AreErrors) {
  {
    ModelBuilder m(18);
    m.input("x", "float[N]").input("a", "int64[1]").node("Squeeze", {"x", "a"}, {"y"}).output("y");
    const CompiledModel model = compile(m);
    const Tensor zero = tensor<std::int64_t>({1}, {0});
    EXPECT_EQ(doubles(run(model, {{"x", filled({1}, 7)}, {"a", zero}})), (Numbers{7}));
    EXPECT_NE(error_of(model, {{"x", filled({4}, 7)}, {"a", zero}}).find("(Squeeze)"), std::string::npos);
  }
  {
    ModelBuilder m(18);
    m.input("x", "float[N]").input("a", "int64[1]").node("Reshape", {"x", "a"}, {"y"}).output("y");
    const CompiledModel model = compile(m);
    EXPECT_EQ(run(model, {{"x", filled({4}, 7)}, {"a", tensor<std::int64_t>({1}, {-1})}}).dims(), (Shape{4}));
    EXPECT_NE(error_of(model, {{"x", filled({4}, 7)}, {"a", tensor<std::int64_t>({1}, {9})}}).find("9"),
              std::string::npos);
  }
  {
    ModelBuilder m(18);
    m.input("x", "float[N,C]").initializer("k", filled({3}, 1));
    m.node("BatchNormalization", {"x", "k", "k", "k", "k"}, {"y"}).output("y");
    const CompiledModel model = compile(m);
    EXPECT_EQ(run(model, {{"x", filled({2, 3}, 1)}}).dims(), (Shape{2, 3}));
    EXPECT_NE(error_of(model, {{"x", filled({2, 1}, 1)}}).find("\"x\" is float[2,1]"), std::string::npos);
  }
  {
    ModelBuilder m(18);
    m.input("x", "float[N,0]").initializer("i", tensor<std::int64_t>({2}, {0, 5}));
    m.node("Gather", {"x", "i"}, {"y"}).output("y");
    const CompiledModel model = compile(m);
    EXPECT_EQ(run(model, {{"x", filled({6, 0}, 0)}}).dims(), (Shape{2, 0}));
    EXPECT_NE(error_of(model, {{"x", filled({5, 0}, 0)}}).find("(Gather)"), std::string::npos);
  }
  {
    ModelBuilder m(18);
    m.input("a", "float[N]").input("b", "float[M]");
    m.node("Add", {"a", "b"}, {"c"}).node("Shape", {"c"}, {"y"}).output("y");
    const CompiledModel model = compile(m);
    EXPECT_EQ(doubles(run(model, {{"a", filled({1}, 0)}, {"b", filled({4}, 0)}})), (Numbers{4}));
    EXPECT_NE(error_of(model, {{"a", filled({2}, 0)}, {"b", filled({3}, 0)}}).find("(Add)"), std::string::npos);
  }
}

// Sizes that are known only because nodes ask for it are asked of what is fed, though nothing reads the nodes'
// elements.
TEST(Contradictions, WhatIsFoldedByAnEquationIsHeldAgainstFeeds) {
  ModelBuilder m(18);
  m.input("x", "float[2,1]").input("y", "float[N,2]");
  m.node("Concat", {"x", "y"}, {"c"}, {make_attr("axis", std::int64_t{1})}).node("Shape", {"c"}, {"s"});
  m.node("Expand", {"x", "s"}, {"o"}).node("Identity", {"y"}, {"w"}).output("o").output("w");
  const CompiledModel model = compile(m);
  const Tensor x = filled({2, 1}, 1);
  EXPECT_EQ(run(model, {{"x", x}, {"y", filled({2, 2}, 1)}}).dims(), (Shape{2, 3}));
  EXPECT_NE(error_of(model, {{"x", x}, {"y", filled({3, 2}, 1)}}).find("dimension 0 is 2"), std::string::npos);
}

TEST(Contradictions, BetweenDeclaredAndLateSizesNameBothSides) {
  ModelBuilder m(18);
  m.input("s", "seq(float[N,5])").input("x", "float[N]").initializer("at", tensor<std::int64_t>({}, {0}));
  m.node("SequenceAt", {"s", "at"}, {"e"}).node("Neg", {"e"}, {"y"}).output("y");
  const CompiledModel model = compile(m);
  const auto feeds = [](Shape element, std::int64_t n) {
    return Feeds{{"s", Value(Sequence{{filled(std::move(element), 1)}})}, {"x", filled({n}, 1)}};
  };
  EXPECT_EQ(run(model, feeds({2, 5}, 2)).dims(), (Shape{2, 5}));
  const std::string why = error_of(model, feeds({2, 5}, 3));
  EXPECT_NE(why.find("\"e\" is float[2,5]"), std::string::npos) << why;
  EXPECT_NE(why.find("dimension 0 of \"x\""), std::string::npos) << why;
  EXPECT_NE(error_of(model, feeds({2, 4}, 2)).find("element 0: dimension 1 is 4"), std::string::npos);
  EXPECT_NE(error_of(model, feeds({10}, 2)).find("element 0: the rank is 1"), std::string::npos);
  // The plan that was made in the meantime does not hide the contradiction.
  EXPECT_EQ(run(model, feeds({3, 5}, 3)).dims(), (Shape{3, 5}));
  EXPECT_FALSE(error_of(model, feeds({2, 5}, 3)).empty());
}

TEST(Contradictions, SizesThatNoMemoryHolds) {
  ModelBuilder m(21);
  m.input("a", "float[A,1,1]").input("b", "float[1,B,1]").input("c", "float[1,1,C]");
  m.node("Sum", {"a", "b", "c"}, {"s"});
  m.node("ReduceMean", {"s"}, {"y"}, {make_attr("keepdims", std::int64_t{0})}).output("y");
  const CompiledModel model = compile(m);
  const auto of = [&](std::int64_t a, std::int64_t b, std::int64_t c) {
    return Feeds{{"a", filled({a, 1, 1}, 1)}, {"b", filled({1, b, 1}, 1)}, {"c", filled({1, 1, c}, 1)}};
  };
  EXPECT_EQ(doubles(run(model, of(2, 3, 4))), (Numbers{3}));
  const std::string why = error_of(model, of(1 << 21, 1 << 21, 1 << 20));  // 2^62 elements of four bytes
  EXPECT_NE(why.find("63 bits"), std::string::npos) << why;
  if (kAllocationMayFail) {
    EXPECT_NE(error_of(model, of(1 << 20, 1 << 20, 4)).find("no memory"), std::string::npos);
  }
  EXPECT_EQ(doubles(run(model, of(2, 3, 4))), (Numbers{3}));
}

// --- keys ---

std::vector<std::int64_t> key_of(const std::vector<Value>& values) {
  std::vector<std::int64_t> key;
  for (const Value& v : values) append_key(key, v);
  return key;
}

TEST(PlanKey, TellsListsOfValuesApart) {
  const auto t = [](DataType type, Shape dims) { return Value(Tensor(type, std::move(dims))); };
  const Value f1 = t(DataType::Float, {1}), u8 = t(DataType::Uint8, {});
  const auto sequence = [](std::vector<Value> items) { return Value(Sequence{std::move(items)}); };
  const auto map = [](DataType keys, std::vector<Value> values) {
    return Value(Map{Tensor(keys, {static_cast<std::int64_t>(values.size())}), std::move(values)});
  };
  const auto sparse = [](DataType type, Shape dims) {
    return Value(SparseTensor{Tensor(type, {0}), Tensor(DataType::Int64, {0}), std::move(dims)});
  };
  const std::vector<std::vector<Value>> lists = {
      {f1},
      {f1, f1},
      {Value()},
      {Value(), f1},
      {t(DataType::Float, {})},
      {t(DataType::Float, {1, 1})},
      {t(DataType::Float, {0})},
      {t(DataType::Double, {1})},
      {t(DataType::Float, {1, 1}), t(DataType::Float, {})},
      {t(DataType::Float, {}), t(DataType::Float, {1, 1})},
      {sequence({})},
      {sequence({}), t(DataType::Uint8, {1, 9})},
      {sequence({u8}), t(DataType::Uint8, {9})},
      {sequence({f1})},
      {sequence({sequence({})})},
      {sequence({sequence({f1})})},
      {sequence({u8})},
      {map(DataType::Int64, {})},
      {map(DataType::Int64, {f1})},
      {map(DataType::String, {f1})},
      {map(DataType::String, {u8})},
      {sequence({map(DataType::String, {u8})})},
      {sparse(DataType::Float, {3})},
      {sparse(DataType::Float, {3, 1})},
      {sparse(DataType::Double, {3})},
  };
  for (std::size_t i = 0; i < lists.size(); ++i)
    for (std::size_t j = 0; j < lists.size(); ++j)
      EXPECT_EQ(key_of(lists[i]) == key_of(lists[j]), i == j) << i << " and " << j;
  // Elements of a sequence may differ in shape; the key, like the type, has the element type only.
  EXPECT_EQ(key_of({sequence({f1})}), key_of({sequence({t(DataType::Float, {2, 2}), f1})}));
}

TEST(PlanKey, EmptySequenceThenNot) {
  ModelBuilder m(21);
  m.input("s", "seq(uint8)").input("x", "uint8").node("Shape", {"x"}, {"y"}).output("y");
  const CompiledModel model = compile(m);
  const auto bytes = [](Shape dims) { return Tensor(DataType::Uint8, std::move(dims)); };
  EXPECT_EQ(doubles(run(model, {{"s", Value(Sequence{})}, {"x", bytes({1, 9})}})), (Numbers{1, 9}));
  EXPECT_EQ(doubles(run(model, {{"s", Value(Sequence{{bytes({1})}})}, {"x", bytes({9})}})), (Numbers{9}));
}

TEST(PlanKey, WhatCannotStandWhereATypeIsDeclared) {
  const auto declared = [](const std::string& text) { return ops::test::type(text); };
  const Value f = Tensor(DataType::Float, {2, 5});
  EXPECT_EQ(misfit(f, declared("float[N,5]")), "");
  EXPECT_EQ(misfit(f, declared("float")), "");
  EXPECT_EQ(misfit(f, declared("float[N,4]")), "dimension 1 is 5 (shape [2,5]), the model wants 4");
  EXPECT_EQ(misfit(f, declared("int64[N,5]")), "the element type is float, the model wants int64");
  EXPECT_NE(misfit(f, declared("seq(float)")), "");
  EXPECT_EQ(misfit(Value(Sequence{{f, f}}), declared("seq(float[N,5])")), "");
  EXPECT_NE(misfit(Value(Sequence{{f, Tensor(DataType::Double, {2, 5})}}), declared("seq(float)")), "");
  EXPECT_EQ(misfit(Value(), declared("optional(float[N,4])")), "");
  EXPECT_NE(misfit(f, declared("optional(float[N,4])")), "");
}

// --- what is kept ---

TEST(PackStore, FormsLiveAsLongAsTheirUsers) {
  PackStore store;
  int made = 0;
  const auto make = [&]() -> std::shared_ptr<const void> {
    ++made;
    return std::make_shared<int>(made);
  };
  const float data[4] = {};
  const kernels::Contents shared{data, true}, own{data, false};
  auto first = store.get(shared, 0, "a", make);
  EXPECT_EQ(store.get(shared, 0, "a", make), first);
  EXPECT_NE(store.get(shared, 4, "a", make), first);
  EXPECT_NE(store.get(shared, 0, "b", make), first);
  EXPECT_NE(store.get(own, 0, "a", make), first);
  EXPECT_EQ(made, 4);
  const std::weak_ptr<const void> watch = first;
  first.reset();
  EXPECT_TRUE(watch.expired());
  store.get(shared, 0, "a", make);
  EXPECT_EQ(made, 5);
}

TEST(PackStore, ModelsWithTheSameContentsShareForms) {
  PackStore one, other;
  int made = 0;
  const auto make = [&]() -> std::shared_ptr<const void> {
    ++made;
    return std::make_shared<int>(made);
  };
  std::vector<float> a(std::size_t{3} << 20), b = a;  // several parts of a hash
  const auto contents = [](const std::vector<float>& v) {
    return kernels::Contents{v.data(), true, v.size() * sizeof(float)};
  };
  auto first = one.get(contents(a), 0, "a", make), second = other.get(contents(b), 0, "a", make);
  EXPECT_EQ(first, second);
  EXPECT_EQ(made, 1);
  EXPECT_NE(other.get(contents(b), 4, "a", make), first);
  EXPECT_NE(other.get(contents(b), 0, "b", make), first);
  EXPECT_EQ(made, 3);
  // So do those that are packed together.
  const std::vector<float> scales(100, 0.5f), equal = scales, others(100, 0.25f);
  const auto of = [&](PackStore& store, const std::vector<float>& data, const std::vector<float>& with) {
    const kernels::Contents also[] = {contents(with)};
    return store.get(contents(data), 0, "a", make, also);
  };
  const auto scaled = of(one, a, scales);
  EXPECT_NE(scaled, first);
  EXPECT_EQ(of(other, b, equal), scaled);
  EXPECT_EQ(of(one, a, scales), scaled);
  EXPECT_NE(of(one, a, others), scaled);
  EXPECT_NE(of(other, b, others), scaled);
  std::vector<float> c = a;
  c[c.size() / 2] = 1;
  PackStore third;
  EXPECT_NE(third.get(contents(c), 0, "a", make), first);
  // The last user frees it.
  const std::weak_ptr<const void> watch = first;
  first.reset();
  EXPECT_FALSE(watch.expired());
  second.reset();
  EXPECT_TRUE(watch.expired());
}

TEST(PlanCache, KeepsToItsBoundAndDropsTheOldest) {
  const std::size_t one = PlanCache().new_segment()->bytes() + 200;
  PlanCache cache(20 * one);
  const std::uint64_t parent = cache.new_id();
  const auto key = [](std::int64_t k) { return std::vector<std::int64_t>{k}; };
  for (std::int64_t k = 0; k < 1000; ++k) {
    cache.keep(parent, key(k), cache.new_segment());
    EXPECT_NE(cache.find(parent, key(0)), nullptr) << "used each time";
    EXPECT_LE(cache.bytes(), 20 * one);
  }
  EXPECT_NE(cache.find(parent, key(999)), nullptr);
  EXPECT_EQ(cache.find(parent, key(500)), nullptr);
  EXPECT_EQ(cache.find(cache.new_id(), key(999)), nullptr);
  const auto there = cache.find(parent, key(0));
  EXPECT_EQ(cache.keep(parent, key(0), cache.new_segment()), there) << "the first of two plans stays";
  PlanCache tiny(1);
  const auto large = tiny.new_segment();
  EXPECT_EQ(tiny.keep(parent, key(1), large), large);
  EXPECT_EQ(tiny.find(parent, key(1)), large) << "the one made last stays whatever it takes";
}

TEST(PlanCache, PlansOfTheMainGraphAreBoundedInNumber) {
  PlanCache cache(std::size_t{1} << 30, 10);
  const std::uint64_t main = cache.new_id(), body = cache.new_id();
  const auto key = [](std::int64_t k) { return std::vector<std::int64_t>{k}; };
  for (std::int64_t k = 0; k < 100; ++k) cache.keep(body, key(k), cache.new_segment());
  for (std::int64_t k = 0; k < 10; ++k) cache.keep(main, key(k), cache.new_segment());
  EXPECT_NE(cache.find(body, key(0)), nullptr);
  for (std::int64_t k = 0; k < 10; ++k) EXPECT_NE(cache.find(main, key(k)), nullptr) << k;
  for (std::int64_t k = 10; k < 50; ++k) cache.keep(main, key(k), cache.new_segment());
  int kept = 0;
  for (std::int64_t k = 0; k < 50; ++k) kept += cache.find(main, key(k)) != nullptr;
  EXPECT_LE(kept, 10);
  EXPECT_GE(kept, 8);
  for (std::int64_t k = 0; k < 100; ++k) EXPECT_NE(cache.find(body, key(k)), nullptr) << k;
}

TEST(ArenaPool, WhatABurstNeededIsGivenBack) {
  const auto pool = std::make_shared<ArenaPool>();
  const auto run = [&](std::size_t bytes) {
    pool->give_back(pool->take(bytes));
    pool->run_ended();
  };
  for (int k = 0; k < 5; ++k) run(1 << 20);
  run(50 << 20);
  EXPECT_GE(pool->idle_bytes(), std::size_t{50} << 20);
  for (int k = 0; k < 3 * ArenaPool::kPeriod; ++k) run(1 << 20);
  EXPECT_LE(pool->idle_bytes(), std::size_t{2} << 20);
  for (int k = 0; k < 3 * ArenaPool::kPeriod; ++k) run(k % 5 == 0 ? 50 << 20 : 1 << 20);
  EXPECT_GE(pool->idle_bytes(), std::size_t{50} << 20) << "what comes again and again stays";
}

TEST(ArenaPool, StretchesComeBack) {
  const auto pool = std::make_shared<ArenaPool>(1 << 20);
  auto a = pool->take(100'000);
  const void* const at = a.memory.get();
  auto b = pool->take(100'000);
  EXPECT_NE(b.memory.get(), at);
  pool->give_back(std::move(a));
  pool->give_back(std::move(b));
  a = pool->take(99'000, at);
  EXPECT_EQ(a.memory.get(), at);
  EXPECT_GE(a.bytes, 99'000u);
  EXPECT_LT(pool->take(1'000).bytes, 10'000u) << "a small tensor does not hold a large stretch";
  const void* memory = nullptr;
  {
    const Tensor t = pool->tensor(DataType::Float, {20'000});
    memory = t.data();
    EXPECT_TRUE(t.owns());
  }
  const Tensor again = pool->tensor(DataType::Float, {20'000});
  EXPECT_EQ(again.data(), memory);
  EXPECT_THROW(pool->tensor(DataType::Float, {1LL << 40, 1LL << 21}), Error);
  if (kAllocationMayFail) {
    EXPECT_THROW(pool->tensor(DataType::Float, {1LL << 50}), Error);
  }
}

TEST(ArenaPool, AStretchThatIsTooSmallGrows) {
  const auto pool = std::make_shared<ArenaPool>();
  constexpr std::size_t kMega = std::size_t{1} << 20;
  auto a = pool->take(2 * kMega), held = pool->take(3 * kMega);
  std::memset(held.memory.get(), 7, held.bytes);
  pool->give_back(std::move(a));
  a = pool->take(20 * kMega);
  EXPECT_EQ(pool->idle_bytes(), 0u);
  EXPECT_GE(a.bytes, 20 * kMega);
  std::memset(a.memory.get(), 1, a.bytes);
  const auto* bytes = static_cast<const unsigned char*>(held.memory.get());
  EXPECT_EQ(std::count(bytes, bytes + held.bytes, 7), static_cast<std::ptrdiff_t>(held.bytes));
  pool->give_back(std::move(a));
  pool->give_back(std::move(held));
  EXPECT_LE(pool->idle_bytes(), 25 * kMega);
  // Where growing fails, the smaller one is freed and the next request is served all the same.
  if (kAllocationMayFail) {
    EXPECT_THROW(pool->take(std::size_t{1} << 50), std::bad_alloc);
  }
  EXPECT_GE(pool->take(20 * kMega).bytes, 20 * kMega);
}

TEST(ArenaPool, TensorsOutliveThePool) {
  auto pool = std::make_shared<ArenaPool>();
  Tensor t = pool->tensor(DataType::Float, {50'000});
  pool.reset();
  std::fill_n(t.as_mutable<float>(), t.size(), 1.0f);
  EXPECT_EQ(t.as<float>()[49'999], 1.0f);
}

// Fourteen sizes at each of four levels: what is kept does not grow with their combinations.
TEST(Kept, PlansOfManyShapesStayWithinTheirBound) {
  ModelBuilder m(18);
  m.input("x", "float[N]").initializer("a", tensor<std::int64_t>({1}, {0})).initializer("one", tensor<float>({}, {1}));
  std::string before = "x";
  for (int i = 0; i < 4; ++i) {
    const std::string k = std::to_string(i);
    m.node("NonZero", {before}, {"z" + k}).node("Squeeze", {"z" + k, "a"}, {"q" + k});
    m.node("Gather", {before, "q" + k}, {"g" + k})
        .node("Sub", {"g" + k, "one"}, {"s" + k})
        .node("Relu", {"s" + k}, {"r" + k});
    before = "r" + k;
  }
  m.output(before);
  SessionOptions options;
  options.max_plan_bytes = 1 << 20;
  const CompiledModel model = compile(m, options);
  std::uint32_t seed = 7;
  const auto draw = [&] { return (seed = seed * 1664525 + 1013904223) >> 24; };
  for (int k = 0; k < 500; ++k) {
    std::vector<float> values(60 + draw() % 14, 9);
    std::size_t at = 0;
    for (int level = 0; level < 4; ++level)
      for (std::uint32_t n = draw() % 14; n > 0; --n) values[at++] = static_cast<float>(level);
    const auto rest = static_cast<std::int64_t>(values.size() - at);
    ASSERT_EQ(run(model, {{"x", tensor<float>({static_cast<std::int64_t>(values.size())}, values)}}).size(), rest);
    ASSERT_LE(model.plan_bytes(), 1u << 20);
  }
}

TEST(Kept, SeveralThreadsWithManyShapes) {
  ModelBuilder m(18);
  m.input("x", "float[N]").initializer("one", tensor<float>({}, {1}));
  m.node("NonZero", {"x"}, {"z"}).node("Cast", {"z"}, {"f"}, {make_attr("to", std::int64_t{1})});
  m.node("ReduceSum", {"f"}, {"r"}, {make_attr("keepdims", std::int64_t{0})})
      .node("Add", {"r", "x"}, {"y"})
      .output("y");
  SessionOptions options;
  options.max_plan_bytes = 100'000;
  const CompiledModel model = compile(m, options);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int k = 0; k < 200; ++k) {
        const std::int64_t n = 1 + (k * 7 + t * 13) % 41;
        const Tensor y = run(model, {{"x", filled({n}, 1)}});
        const double expected = static_cast<double>(n * (n - 1) / 2 + 1);
        for (double v : doubles(y)) wrong += v != expected;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace norn::runtime
