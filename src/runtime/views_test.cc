// Values that lie in the memory of others: under other dimensions, or with strides. Every model here computes the same
// with reference kernels alone, which see dense values only.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "kernels/cpu/matmul.h"
#include "ops/tensor/shape/chain_test.h"
#include "runtime/compiled_model.h"
#include "tests/support/model_builder.h"

namespace norn::runtime {
namespace {

using norn::test::ModelBuilder;
using ops::test::doubles;
using ops::test::random_tensor;
using ops::test::tensor;
using transform::make_attr;

using Feeds = std::vector<Feed>;
using Numbers = std::vector<double>;
using Ints = std::vector<std::int64_t>;

CompiledModel compile(const ModelBuilder& m, bool reference_only = false, std::vector<std::string> without = {}) {
  SessionOptions options;
  options.disabled_passes = std::move(without);
  options.verify_passes = true;
  options.reference_only = reference_only;
  if (reference_only)
    for (const char* pass : {"fuse_elementwise"}) options.disabled_passes.push_back(pass);
  return CompiledModel(m.build(), {}, options);
}

Tensor numbers(Shape dims) {
  Tensor t(DataType::Float, std::move(dims));
  for (std::int64_t i = 0; i < t.size(); ++i) t.as_mutable<float>()[i] = static_cast<float>(i % 23) - 7;
  return t;
}

ModelBuilder& slice(ModelBuilder& m, const std::string& x, const std::string& out, Ints starts, Ints ends, Ints axes,
                    Ints steps = {}) {
  const auto n = static_cast<std::int64_t>(starts.size());
  if (steps.empty()) steps.assign(starts.size(), 1);
  m.initializer(out + "_s", tensor<std::int64_t>({n}, starts)).initializer(out + "_e", tensor<std::int64_t>({n}, ends));
  m.initializer(out + "_a", tensor<std::int64_t>({n}, axes)).initializer(out + "_t", tensor<std::int64_t>({n}, steps));
  m.node("Slice", {x, out + "_s", out + "_e", out + "_a", out + "_t"}, {out});
  return m;
}
ModelBuilder& transpose(ModelBuilder& m, const std::string& x, const std::string& out, Ints perm) {
  m.node("Transpose", {x}, {out}, {make_attr("perm", std::move(perm))});
  return m;
}

// Runs it twice; returns the kernels of its steps.
std::vector<std::string> check(const ModelBuilder& m, const Feeds& feeds, std::vector<std::string> without = {}) {
  const CompiledModel model = compile(m, false, std::move(without));
  const auto want = compile(m, true).run(feeds, {});
  for (int turn = 0; turn < 2; ++turn) {
    const auto got = model.run(feeds, {});
    EXPECT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
      EXPECT_EQ(got[i].tensor().dims(), want[i].tensor().dims()) << i;
      EXPECT_EQ(doubles(got[i].tensor()), doubles(want[i].tensor())) << i;  // whole numbers: no rounding
    }
  }
  std::vector<std::string> kernels;
  for (const ExplainedStep& step : model.explain(feeds, 1).graph.steps) kernels.push_back(step.kernel);
  return kernels;
}

// Constant indices that count up evenly pick what a view has: one of them, a run, every second, windows that overlap.
TEST(StridedViews, EvenIndicesAreViews) {
  struct {
    Shape dims;
    Ints at;
    bool is_view;
  } const cases[] = {
      {{}, {2}, true},           {{}, {-1}, true},
      {{1, 1}, {3}, true},       {{3}, {1, 2, 3}, true},
      {{3}, {-5, -3, -1}, true}, {{2, 3}, {0, 1, 2, 2, 3, 4}, true},
      {{3}, {2, 2, 2}, true},    {{3}, {3, 2, 1}, false},
      {{3}, {0, 1, 3}, false},   {{2, 2}, {0, 1, 1, 3}, false},
  };
  for (const auto& c : cases) {
    for (const std::int64_t axis : {0, 1, -1}) {
      ModelBuilder m(21);
      m.input("x", "float[5,6,5]").initializer("at", tensor<std::int64_t>(c.dims, c.at));
      m.node("Neg", {"x"}, {"n"}).node("Gather", {"n", "at"}, {"g"}, {make_attr("axis", axis)});
      transpose(m, "x", "t", {2, 1, 0}).node("Gather", {"t", "at"}, {"h"}, {make_attr("axis", axis)});
      m.node("Abs", {"g"}, {"y"}).node("Abs", {"h"}, {"z"}).output("y").output("z");
      const Feeds feeds = {{"x", numbers({5, 6, 5})}};
      check(m, feeds);
      // A copy of a view reads no indices.
      const auto steps = compile(m).explain(feeds, 1).graph.steps;
      const auto gathers = [](const ExplainedStep& step) {
        return step.operations.front().op_type == "Gather" && step.inputs.size() == 2;
      };
      EXPECT_EQ(std::count_if(steps.begin(), steps.end(), gathers), c.is_view ? 0 : 2) << c.at[0] << " " << axis;
    }
  }
}

TEST(StridedViews, IndicesOutOfRangeAreNoViews) {
  for (const std::int64_t at : {5, -6}) {
    ModelBuilder m(21);
    m.input("x", "float[5,2]").initializer("at", tensor<std::int64_t>({}, {at}));
    m.node("Gather", {"x", "at"}, {"y"}).output("y");
    EXPECT_THROW(compile(m).run(Feeds{{"x", numbers({5, 2})}}, {}), Error);
  }
}

TEST(StridedViews, ProductsReadFactorsWhereTheyLie) {
  ModelBuilder m(21);
  m.input("q", "float[2,5,3,4]").input("k", "float[2,6,3,4]");
  transpose(m, "q", "qt", {0, 2, 1, 3});
  transpose(m, "k", "kt", {0, 2, 3, 1});
  m.node("MatMul", {"qt", "kt"}, {"y"}).output("y");
  // Our own product copies them.
  const auto candidates = kernels::matmul_candidates();
  const bool onednn =
      std::any_of(candidates.begin(), candidates.end(), [](const auto& c) { return c.name == "onednn"; });
  EXPECT_EQ(check(m, {{"q", numbers({2, 5, 3, 4})}, {"k", numbers({2, 6, 3, 4})}}).size(), onednn ? 1u : 3u);
}

TEST(StridedViews, OneRowTimesAGrowingMatrix) {
  ModelBuilder m(21);
  m.input("q", "float[1,4]").input("k", "float[P,4]");
  transpose(m, "k", "kt", {1, 0});
  m.node("MatMul", {"q", "kt"}, {"s"}).node("MatMul", {"s", "k"}, {"y"}).output("y");
  for (const std::int64_t p : {1, 2, 7, 100})
    EXPECT_EQ(check(m, {{"q", numbers({1, 4})}, {"k", numbers({p, 4})}}).size(), 2u);
}

TEST(StridedViews, ChainsReadHalvesOfRows) {
  ModelBuilder m(21);
  m.input("x", "float[3,32]");
  slice(m, "x", "a", {0}, {16}, {1});
  slice(m, "x", "b", {16}, {32}, {1});
  m.node("Mul", {"a", "b"}, {"p"}).node("Sub", {"p", "a"}, {"y"}).output("y");
  EXPECT_EQ(check(m, {{"x", numbers({3, 32})}}).size(), 1u);
}

// x1 * sigmoid(x2) of halves of the rows, and parts of which nothing is wanted or left.
TEST(StridedViews, PartsOfASplit) {
  ModelBuilder m(21);
  m.input("x", "float[3,40]").initializer("parts", tensor<std::int64_t>({4}, {16, 16, 0, 8}));
  m.node("Split", {"x", "parts"}, {"a", "b", "none", ""}, {make_attr("axis", std::int64_t{1})});
  m.node("Neg", {"b"}, {"n"}).node("Mul", {"a", "n"}, {"y"}).output("y").output("none");
  EXPECT_EQ(check(m, {{"x", numbers({3, 40})}}).size(), 2u);  // the chain; nothing is copied to an output
  ModelBuilder rows(21);
  rows.input("x", "float[N,4]").node("Abs", {"x"}, {"p"});
  rows.node("Split", {"p"}, {"a", "b"}, {make_attr("num_outputs", std::int64_t{2})});
  rows.node("Sub", {"a", "b"}, {"y"}).output("y").output("b");
  for (const std::int64_t n : {2, 6}) check(rows, {{"x", numbers({n, 4})}});
}

// A row of x is dense, so no copy is made of it, and the sum may not be written over x while the row is read: for more
// elements than a chain does at a time.
TEST(StridedViews, APartIsNotWrittenOver) {
  ModelBuilder m(21);
  m.input("in", "float[64,64]").node("Neg", {"in"}, {"x"});
  slice(m, "x", "row", {40}, {41}, {0});
  m.node("Add", {"row", "in"}, {"s"}).node("Mul", {"s", "s"}, {"y"}).output("y");
  check(m, {{"in", numbers({64, 64})}});
  ModelBuilder whole(21);
  whole.input("in", "float[64,64]").node("Neg", {"in"}, {"x"});
  transpose(whole, "x", "t", {1, 0});
  whole.node("Add", {"t", "x"}, {"s"}).node("Mul", {"s", "s"}, {"y"}).output("y");
  check(whole, {{"in", numbers({64, 64})}});
}

// Parts of inputs, of constants, of intermediates and of each other, as outputs.
TEST(StridedViews, AsOutputs) {
  ModelBuilder m(21);
  m.input("x", "float[6,4]").node("Neg", {"x"}, {"n"}).initializer("c", numbers({5, 2}));
  for (const std::string from : {"x", "n"}) {
    slice(m, from, from + "_rows", {2}, {5}, {0});
    slice(m, from, from + "_columns", {1}, {3}, {1});
    slice(m, from + "_rows", from + "_some", {0}, {3}, {0}, {2});
    transpose(m, from + "_columns", from + "_across", {1, 0});
    slice(m, from + "_across", from + "_last", {1}, {2}, {0});
    for (const std::string out : {"_rows", "_columns", "_some", "_across", "_last"}) m.output(from + out);
  }
  m.output("n");
  check(m, {{"x", numbers({6, 4})}});
}

// Segments behind the first read parts of its values, and of the caller's inputs.
TEST(StridedViews, ReadBehindALateValue) {
  ModelBuilder m(21);
  m.input("x", "float[6,4]").node("Neg", {"x"}, {"n"}).node("NonZero", {"x"}, {"z"});
  m.node("Cast", {"z"}, {"f"}, {make_attr("to", std::int64_t{1})});
  m.node("ReduceSum", {"f"}, {"late"}, {make_attr("keepdims", std::int64_t{0})});
  for (const std::string from : {"x", "n"}) {
    slice(m, from, from + "_first", {0}, {2}, {0});
    slice(m, from, from + "_rows", {3}, {5}, {0});
    slice(m, from, from + "_columns", {1}, {3}, {1});
    for (const std::string part : {"_first", "_rows", "_columns"}) {
      m.node("Add", {from + part, "late"}, {from + part + "_y"}).output(from + part + "_y");
      m.node("SequenceConstruct", {from + part, "f"}, {from + part + "_q"});
      m.initializer(from + part + "_i", tensor<std::int64_t>({}, {0}));
      m.node("SequenceAt", {from + part + "_q", from + part + "_i"}, {from + part + "_r"}).output(from + part + "_r");
    }
  }
  check(m, {{"x", numbers({6, 4})}});
}

TEST(StridedViews, ExpandedAndSqueezed) {
  ModelBuilder m(21);
  m.input("x", "float[3,1,16]").input("w", "float[3,16,5]").initializer("to", tensor<std::int64_t>({3}, {3, 2, 16}));
  m.initializer("axis", tensor<std::int64_t>({1}, {1})).initializer("most", tensor<std::int64_t>({4}, {2, 1, 1, 1}));
  m.node("Expand", {"x", "to"}, {"wide"}).node("MatMul", {"wide", "w"}, {"p"});
  transpose(m, "x", "t", {2, 1, 0});
  m.node("Squeeze", {"t", "axis"}, {"s"}).node("Unsqueeze", {"s", "axis"}, {"u"}).node("Neg", {"u"}, {"n"});
  m.node("Expand", {"u", "most"}, {"e"}).node("Add", {"e", "u"}, {"a"});
  for (const char* out : {"wide", "p", "s", "n", "e", "a"}) m.output(out);
  check(m, {{"x", numbers({3, 1, 16})}, {"w", numbers({3, 16, 5})}});
}

// Indices that are expanded to slices of the data are read as the vector that they are.
TEST(StridedViews, IndicesOfSlices) {
  for (const char* reduction : {"none", "add", "max"}) {
    ModelBuilder m(21);
    m.input("x", "float[9,3,50]").input("i", "int64[4,1,1]").input("u", "float[4,3,50]");
    m.initializer("to", tensor<std::int64_t>({3}, {4, 3, 50}))
        .initializer("less", tensor<std::int64_t>({3}, {4, 3, 49}));
    m.node("Expand", {"i", "to"}, {"wide"}).node("Expand", {"i", "less"}, {"narrow"}).node("Neg", {"x"}, {"n"});
    slice(m, "u", "v", {0}, {49}, {2});
    const auto scatter = [&](const std::string& data, const std::string& indices, const std::string& updates,
                             std::int64_t axis, const std::string& out) {
      m.node("ScatterElements", {data, indices, updates}, {out},
             {make_attr("axis", axis), make_attr("reduction", std::string(reduction))});
      m.output(out);
    };
    scatter("n", "wide", "u", 0, "y");       // in the memory of the data
    scatter("x", "wide", "u", -3, "z");      // in a copy
    scatter("x", "narrow", "v", 0, "part");  // not of whole slices
    scatter("u", "wide", "u", 0, "itself");  // in a copy of the updates
    const auto kernels = check(m, {{"x", numbers({9, 3, 50})},
                                   {"i", tensor<std::int64_t>({4, 1, 1}, {-1, 0, 3, 0})},
                                   {"u", numbers({4, 3, 50})}});
    EXPECT_EQ(std::count(kernels.begin(), kernels.end(), "scatter_nd"), 3);
    EXPECT_EQ(std::count(kernels.begin(), kernels.end(), "scatter_elements"), 1);
  }
}

// Copies of views that later segments wait for are made behind one another: what the first was copied from waits, too.
TEST(StridedViews, CopiedForLaterSegmentsWithTheirSource) {
  for (const bool across : {true, false}) {
    ModelBuilder m(21);
    m.input("x", "float[16,16]").input("z", "float[16,16]").node("NonZero", {"x"}, {"n"});
    m.node("Cast", {"n"}, {"f"}, {make_attr("to", std::int64_t{1})});
    m.node("ReduceSum", {"f"}, {"late"}, {make_attr("keepdims", std::int64_t{0})});
    m.node("Neg", {"x"}, {"v"}).node("Abs", {"z"}, {"u"});
    for (const std::string from : {"v", "u"}) {
      if (across)
        transpose(m, from, from + "w", {1, 0});
      else
        slice(m, from, from + "w", {0}, {8}, {1});
    }
    for (const std::string value : {"v", "vw", "uw"})
      m.node("Add", {value, "late"}, {value + "_y"}).output(value + "_y");
    check(m, {{"x", numbers({16, 16})}, {"z", numbers({16, 16})}});
  }
}

// A view of contents that are the plan's own, and too large for inference to follow.
TEST(StridedViews, OfKnownContentsBehindALateValue) {
  ModelBuilder m(18);
  m.input("x", "float[N]").node("NonZero", {"x"}, {"z"});
  m.node("Constant", {}, {"c"}, {ops::test::tensor_attr("value", numbers({600, 40}))});
  transpose(m, "c", "same", {0, 1});
  transpose(m, "c", "across", {1, 0});
  m.initializer("to", tensor<std::int64_t>({2}, {40, 600})).node("Reshape", {"c", "to"}, {"flat"});
  slice(m, "c", "rows", {200}, {500}, {0});
  for (const std::string from : {"same", "across", "flat", "rows"}) {
    m.node("Gather", {from, "z"}, {from + "_y"}).output(from + "_y");
  }
  for (const std::string out : {"same", "rows"}) m.output(out);
  check(m, {{"x", tensor<float>({3}, {1, 0, 2})}}, {"fold_constants"});
}

// What lies with channels last is dense to a reader that wants channels last.
TEST(StridedViews, TransposesOfChannelsLast) {
  ModelBuilder m(21);
  m.input("x", "float[1,16,8,8]").initializer("w", numbers({16, 16, 1, 1}));
  m.node("Conv", {"x", "w"}, {"c"});
  transpose(m, "c", "last", {0, 2, 3, 1});
  m.initializer("shape", tensor<std::int64_t>({2}, {64, 16})).node("Reshape", {"last", "shape"}, {"y"}).output("y");
  check(m, {{"x", numbers({1, 16, 8, 8})}});
}

// Pixels from first to last: what others call NHWC needs no reordering on either side of a convolution.
TEST(StridedViews, PixelsOfChannels) {
  ModelBuilder m(21);
  m.input("x", "float[2,9,7,16]").initializer("w", numbers({24, 16, 1, 1}));
  transpose(m, "x", "first", {0, 3, 1, 2});
  m.node("Conv", {"first", "w"}, {"c"});
  transpose(m, "c", "y", {0, 2, 3, 1}).output("y");
  const auto kernels = check(m, {{"x", numbers({2, 9, 7, 16})}});
  for (const std::string& kernel : kernels) EXPECT_EQ(kernel.find("reorder"), std::string::npos) << kernel;
  // Windows of 8-bit integers are taken the same way.
  ModelBuilder windows(21);
  windows.input("x", "uint8[2,9,7,16]");
  transpose(windows, "x", "first", {0, 3, 1, 2});
  windows.node("MaxPool", {"first"}, {"p"}, {make_attr("kernel_shape", Ints{2, 2})});
  transpose(windows, "p", "y", {0, 2, 3, 1}).output("y");
  Tensor bytes(DataType::Uint8, {2, 9, 7, 16});
  for (std::int64_t i = 0; i < bytes.size(); ++i)
    bytes.as_mutable<std::uint8_t>()[i] = static_cast<std::uint8_t>(i * 37);
  EXPECT_EQ(check(windows, {{"x", bytes}}).size(), 1u);
  // A product reads the same view across.
  ModelBuilder product(21);
  product.input("x", "float[2,5,8]").initializer("b", numbers({5, 3}));
  transpose(product, "x", "t", {0, 2, 1});
  product.node("MatMul", {"t", "b"}, {"y"}).node("Neg", {"t"}, {"n"}).output("y").output("n");
  check(product, {{"x", numbers({2, 5, 8})}});
}

// Channels are split off, convolved, added and put together again with channels last.
TEST(StridedViews, SomeOfTheChannels) {
  ModelBuilder m(21);
  m.input("x", "float[2,16,6,5]").initializer("w", numbers({48, 16, 1, 1})).initializer("v", numbers({16, 16, 1, 1}));
  m.node("Conv", {"x", "w"}, {"c"});
  m.node("Split", {"c"}, {"a", "b", "d"},
         {make_attr("num_outputs", std::int64_t{3}), make_attr("axis", std::int64_t{1})});
  m.node("Conv", {"b", "v"}, {"e"}).node("Add", {"e", "d"}, {"f"}).node("Sub", {"d", "a"}, {"g"});
  slice(m, "f", "rows", {1}, {4}, {2});
  slice(m, "c", "odd", {1}, {48}, {1}, {2});
  m.node("Concat", {"a", "f", "d", "g", "odd", "x"}, {"y"}, {make_attr("axis", std::int64_t{1})});
  m.node("Concat", {"rows", "d", "b"}, {"z"}, {make_attr("axis", std::int64_t{2})});
  m.node("MaxPool", {"d"}, {"p"}, {make_attr("kernel_shape", Ints{2, 2})});
  for (const char* out : {"y", "z", "p", "a"}) m.output(out);
  const auto kernels = check(m, {{"x", numbers({2, 16, 6, 5})}});
  EXPECT_LE(
      std::count_if(kernels.begin(), kernels.end(), [](const std::string& k) { return k.starts_with("reorder"); }), 6);
}

// Halves of rows change places: nothing is copied twice.
TEST(StridedViews, PutTogetherFromParts) {
  ModelBuilder m(21);
  m.input("x", "float[2,3,8]");
  slice(m, "x", "low", {0}, {4}, {2});
  slice(m, "x", "high", {4}, {8}, {2});
  transpose(m, "x", "turned", {2, 1, 0});
  slice(m, "turned", "corner", {0, 0}, {2, 3}, {0, 1});
  transpose(m, "corner", "back", {2, 1, 0});
  m.node("Concat", {"high", "low", "back"}, {"y"}, {make_attr("axis", std::int64_t{-1})}).output("y");
  EXPECT_EQ(check(m, {{"x", numbers({2, 3, 8})}}).size(), 1u);
}

TEST(StridedViews, OfNothingAndOfOne) {
  ModelBuilder m(21);
  m.input("x", "float[N,M]");
  slice(m, "x", "none", {2}, {2}, {0});
  transpose(m, "none", "across", {1, 0});
  slice(m, "x", "one", {0, 0}, {1, 1}, {0, 1});
  transpose(m, "one", "turned", {1, 0});
  for (const char* out : {"none", "across", "one", "turned"}) m.output(out);
  check(m, {{"x", numbers({4, 3})}});
  check(m, {{"x", numbers({1, 1})}});
}

// Each view is read by a late step in the segment that makes it and in a later one, beside its source.
TEST(Views, KeepTheirShapesForLateReaders) {
  struct Case {
    const char* op;
    std::vector<std::string> extra;
    Shape dims;
  };
  for (const Case& c : {Case{"Unsqueeze", {"a"}, {3, 1, 1}}, Case{"Reshape", {"r"}, {1, 3}},
                        Case{"Transpose", {}, {1, 3}}, Case{"Squeeze", {}, {3}}}) {
    for (const char* source : {"x", "late", "out"}) {
      ModelBuilder m(18);
      m.input("x", "float[N,1]").initializer("a", tensor<std::int64_t>({1}, {1}));
      m.initializer("r", tensor<std::int64_t>({2}, {1, -1})).initializer("at", tensor<std::int64_t>({}, {1}));
      m.node("SequenceConstruct", {"x", "x"}, {"xs"}).node("SequenceAt", {"xs", "at"}, {"late"});
      m.node("Abs", {"x"}, {"out"});
      std::vector<std::string> inputs{source};
      inputs.insert(inputs.end(), c.extra.begin(), c.extra.end());
      m.node(c.op, inputs, {"v"});
      m.node("NonZero", {"x"}, {"z"}).node("Cast", {"z"}, {"f"}, {make_attr("to", std::int64_t{1})});
      m.node("SequenceConstruct", {"v", source}, {"now"}).node("SequenceConstruct", {"f", "v", source}, {"later"});
      m.output("now").output("later").output("out");
      const CompiledModel model = compile(m);
      for (int turn = 0; turn < 2; ++turn) {
        const auto y = model.run(Feeds{{"x", tensor<float>({3, 1}, {1, 2, 3})}}, {});
        const auto check = [&](const Value& v, const Shape& dims) {
          EXPECT_EQ(v.tensor().dims(), dims) << c.op << " of " << source;
          EXPECT_EQ(doubles(v.tensor()), (Numbers{1, 2, 3})) << c.op << " of " << source;
        };
        check(y[0].sequence().items[0], c.dims);
        check(y[0].sequence().items[1], {3, 1});
        check(y[1].sequence().items[1], c.dims);
        check(y[1].sequence().items[2], {3, 1});
        check(y[2], {3, 1});
      }
    }
  }
}

}  // namespace
}  // namespace norn::runtime
