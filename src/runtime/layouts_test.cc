// Layouts are assigned over all readers: what a choice that looks at inputs alone reorders more often.
#include <gtest/gtest.h>

#include <algorithm>

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
using Ints = std::vector<std::int64_t>;

Tensor numbers(Shape dims, int seed = 0) {
  Tensor t(DataType::Float, std::move(dims));
  for (std::int64_t i = 0; i < t.size(); ++i)
    t.as_mutable<float>()[i] = static_cast<float>((i * 7 + seed) % 23) / 8 - 1;
  return t;
}

// The bytes that steps reorder, or copy from a view, as it runs; compared with reference kernels.
std::size_t reordered(const ModelBuilder& m, const Feeds& feeds) {
  SessionOptions options, plain;
  options.disabled_passes = {"fuse_elementwise"};
  plain.disabled_passes = {"all"};
  plain.reference_only = true;
  const CompiledModel model(m.build(), {}, options);
  const auto want = CompiledModel(m.build(), {}, plain).run(feeds, {});
  for (int turn = 0; turn < 2; ++turn) {
    const auto got = model.run(feeds, {});
    for (std::size_t i = 0; i < want.size(); ++i) {
      const auto a = doubles(got[i].tensor()), b = doubles(want[i].tensor());
      EXPECT_EQ(a.size(), b.size());
      for (std::size_t k = 0; k < a.size() && k < b.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-3) << i << ", " << k;
    }
  }
  std::size_t bytes = 0;
  for (const ExplainedStep& step : model.explain(feeds, 1).graph.steps)
    if (step.kernel.starts_with("reorder") || (step.kernel == "copy" && step.operations.front().op_type != "Concat"))
      bytes += 4 * static_cast<std::size_t>(element_count(step.inputs[0].dims));
  return bytes;
}

ModelBuilder& conv(ModelBuilder& m, const std::string& x, const std::string& out, std::int64_t channels) {
  m.initializer(out + "_w", numbers({channels, channels, 3, 3}));
  m.node("Conv", {x, out + "_w"}, {out}, {make_attr("pads", Ints{1, 1, 1, 1})});
  return m;
}

constexpr std::size_t kMap = 4 * 16 * 14 * 14;  // bytes

// A depthwise convolution alone takes its planes as they are; beside others channels stay last.
TEST(Layouts, DepthwiseConvolutionsTakePlanesWhereNobodyElseReorders) {
  const auto with = [](bool others) {
    ModelBuilder m;
    m.input("x", "float[1,16,14,14]");
    m.initializer("w", numbers({16, 1, 3, 3}));
    if (others) conv(m, "x", "a", 16);
    m.node("Conv", {others ? "a" : "x", "w"}, {others ? "b" : "y"},
           {make_attr("pads", Ints{1, 1, 1, 1}), make_attr("group", std::int64_t{16})});
    if (others) conv(m, "b", "y", 16);
    m.output("y");
    return reordered(m, {{"x", numbers({1, 16, 14, 14})}});
  };
  EXPECT_EQ(with(false), 0u);
  EXPECT_EQ(with(true), 2 * kMap);
}

// By a larger window it does so where an image is large and two reorders are spared, not one.
TEST(Layouts, LargeDepthwiseWindowsTakePlanesInPlaceOfTwoReorders) {
  const auto with = [](bool alone) {
    ModelBuilder m;
    m.input("x", "float[1,64,96,96]");
    m.initializer("w", numbers({64, 1, 5, 5}));
    m.node("Conv", {"x", "w"}, {alone ? "y" : "c"},
           {make_attr("pads", Ints{2, 2, 2, 2}), make_attr("group", std::int64_t{64})});
    if (!alone) m.node("Transpose", {"c"}, {"t"}, {make_attr("perm", Ints{0, 2, 3, 1})}).node("Relu", {"t"}, {"y"});
    m.output("y");
    return reordered(m, {{"x", numbers({1, 64, 96, 96})}});
  };
  EXPECT_EQ(with(true), 0u);
  EXPECT_EQ(with(false), std::size_t{4} * 64 * 96 * 96);
}

// Windows of one pixel, and of few elements for many filters, take channels first where two reorders are spared.
TEST(Layouts, ConvolutionsAloneTakeChannelsFirst) {
  const auto with = [](std::int64_t channels, std::int64_t filters, std::int64_t side, std::int64_t window, bool fed,
                       bool alone) {
    ModelBuilder m;
    const Shape in{1, channels, side, side}, w{filters, channels, window, window};
    m.input("x", "float" + to_string(in));
    Feeds feeds{{"x", numbers(in)}};
    if (fed) {
      m.input("w", "float" + to_string(w));
      feeds.push_back({"w", numbers(w, 3)});
    } else {
      m.initializer("w", numbers(w, 3));
    }
    m.node("Conv", {"x", "w"}, {alone ? "y" : "a"});
    if (!alone) conv(m, "a", "y", filters);
    m.output("y");
    return reordered(m, feeds);
  };
  EXPECT_EQ(with(12, 20, 24, 1, false, true), 0u);
  EXPECT_EQ(with(12, 20, 24, 1, true, true), 0u);
  EXPECT_EQ(with(3, 64, 30, 3, false, true), 0u);
  EXPECT_EQ(with(12, 20, 14, 3, true, true), 0u);
  // Where a neighbour has channels last, and where filters gain more so than reorders take.
  EXPECT_EQ(with(12, 20, 24, 1, false, false), std::size_t{4} * (12 + 20) * 24 * 24);
  EXPECT_GT(with(32, 64, 30, 3, false, true), 0u);
}

// Where the caller allows factors in bfloat16, kernels that round are asked before those that take channels first.
TEST(Layouts, RoundingComesBeforeChannelsFirst) {
  ModelBuilder m;
  m.input("x", "float[1,12,24,24]")
      .initializer("w", numbers({20, 12, 1, 1}))
      .node("Conv", {"x", "w"}, {"y"})
      .output("y");
  SessionOptions options;
  options.precision = Precision::BFloat16;
  const CompiledModel model(m.build(), {}, options);
  const Feeds feeds{{"x", numbers({1, 12, 24, 24})}};
  bool is_asked = false;
  for (const ExplainedStep& step : model.explain(feeds, 1).graph.steps) {
    is_asked = is_asked || step.kernel.find("bf16") != std::string::npos;
    for (const RefusedKernel& refused : step.refused)
      is_asked = is_asked || refused.kernel.find("bf16") != std::string::npos;
  }
  EXPECT_TRUE(is_asked);
}

// Three dense operands are added to a channels-last one, and the sum is read dense: the one is reordered, not the three
// and the sum.
TEST(Layouts, OneOperandIsReorderedForMany) {
  ModelBuilder m(21);
  m.input("x", "float[1,16,14,14]");
  for (const char* d : {"a", "b", "c"}) m.input(d, "float[1,16,14,14]");
  conv(m, "x", "p", 16);
  m.node("Add", {"p", "a"}, {"q"}).node("Add", {"q", "b"}, {"r"}).node("Add", {"r", "c"}, {"y"}).output("y");
  Feeds feeds = {{"x", numbers({1, 16, 14, 14})}};
  for (const char* d : {"a", "b", "c"}) feeds.push_back({d, numbers({1, 16, 14, 14}, d[0])});
  EXPECT_EQ(reordered(m, feeds), 2 * kMap);  // x for the convolution, and what it gives
}

// Parts of the channels lie as the whole does: gates between convolutions are computed channels last.
TEST(Layouts, PartsOfChannels) {
  ModelBuilder m(21);
  m.input("x", "float[1,64,14,14]").initializer("w", numbers({32, 32, 1, 1}));
  conv(m, "x", "p", 64)
      .node("Split", {"p"}, {"a", "b"},
            {make_attr("axis", std::int64_t{1}), make_attr("num_outputs", std::int64_t{2})});
  m.node("Tanh", {"a"}, {"t"}).node("Sigmoid", {"b"}, {"s"}).node("Mul", {"t", "s"}, {"g"});
  m.node("Conv", {"g", "w"}, {"y"}).output("y");
  EXPECT_EQ(reordered(m, {{"x", numbers({1, 64, 14, 14})}}), 4 * kMap + 2 * kMap);  // x, and the output
}

// What lies between convolutions stays as they have it.
TEST(Layouts, SoftmaxBetweenConvolutions) {
  for (const std::int64_t axis : {1, 2, 3}) {
    ModelBuilder m(21);
    m.input("x", "float[1,16,14,14]");
    std::string at = "x";
    for (int i = 0; i < 3; ++i) {
      const std::string k = std::to_string(i);
      conv(m, at, "c" + k, 16).node("Softmax", {"c" + k}, {"s" + k}, {make_attr("axis", axis)});
      at = "s" + k;
    }
    conv(m, at, "y", 16).output("y");
    EXPECT_EQ(reordered(m, {{"x", numbers({1, 16, 14, 14})}}), 2 * kMap) << axis;
  }
}

// A large constant is not reordered for a small value's sake, and one reorder serves all readers of a layout.
TEST(Layouts, ReadersOfALayoutShareAReorder) {
  ModelBuilder m(21);
  m.input("x", "float[1,16,14,14]").input("d", "float[1,16,14,14]");
  m.node("Mul", {"x", "d"}, {"p"});
  conv(m, "p", "a", 16);
  conv(m, "p", "b", 16);
  m.node("Add", {"a", "b"}, {"y"}).output("y");
  EXPECT_EQ(reordered(m, {{"x", numbers({1, 16, 14, 14})}, {"d", numbers({1, 16, 14, 14}, 3)}}), 2 * kMap);
}

// Tokens are pixels of channels: seen as an image and back, they stay where they are.
TEST(Layouts, ConvolutionsBetweenTokens) {
  ModelBuilder m(21);
  m.input("x", "float[1,196,16]").initializer("a", numbers({16, 16})).initializer("b", numbers({16, 16}, 1));
  m.initializer("image", tensor<std::int64_t>({4}, {0, 0, 14, 14}));
  m.initializer("tokens", tensor<std::int64_t>({3}, {0, 0, -1}));
  const Ints turn = {0, 2, 1};
  m.node("MatMul", {"x", "a"}, {"p"}).node("Transpose", {"p"}, {"t"}, {make_attr("perm", turn)});
  m.node("Reshape", {"t", "image"}, {"i"});
  conv(m, "i", "c", 16).node("Reshape", {"c", "tokens"}, {"u"});
  m.node("Transpose", {"u"}, {"v"}, {make_attr("perm", turn)}).node("MatMul", {"v", "b"}, {"y"}).output("y");
  EXPECT_EQ(reordered(m, {{"x", numbers({1, 196, 16})}}), 0u);
}

// Of images that are resized from tokens and joined for a convolution, none is reordered.
TEST(Layouts, ImagesOfTokensAreResizedChannelsLast) {
  for (const char* mode : {"linear", "cubic", "nearest"}) {
    ModelBuilder m(21);
    m.input("x", "float[1,49,16]").input("z", "float[1,196,16]");
    m.initializer("seven", tensor<std::int64_t>({4}, {1, 16, 7, 7}));
    m.initializer("fourteen", tensor<std::int64_t>({4}, {1, 16, 14, 14}));
    m.initializer("w", numbers({16, 32, 1, 1}));
    for (const auto& [from, sizes] : {std::pair("x", "seven"), std::pair("z", "fourteen")}) {
      const std::string k = from;
      m.node("Transpose", {k}, {k + "t"}, {make_attr("perm", Ints{0, 2, 1})})
          .node("Reshape", {k + "t", sizes}, {k + "i"});
      m.node("Resize", {k + "i", "", "", "fourteen"}, {k + "r"}, {make_attr("mode", std::string(mode))});
    }
    m.node("Concat", {"xr", "zr"}, {"j"}, {make_attr("axis", std::int64_t{1})});
    m.node("Conv", {"j", "w"}, {"c"})
        .node("Transpose", {"c"}, {"y"}, {make_attr("perm", Ints{0, 2, 3, 1})})
        .output("y");
    EXPECT_EQ(reordered(m, {{"x", numbers({1, 49, 16})}, {"z", numbers({1, 196, 16})}}), 0u) << mode;
  }
}

// Regions are read from pixels as a convolution leaves them; also behind what takes either layout.
TEST(Layouts, RegionsOfPixels) {
  ModelBuilder m(21);
  m.input("x", "float[1,16,14,14]").input("r", "float[9,4]").initializer("n", tensor<std::int64_t>({9}, Ints(9, 0)));
  conv(m, "x", "c", 16)
      .node("Relu", {"c"}, {"p"})
      .node("RoiAlign", {"p", "r", "n"}, {"y"},
            {make_attr("output_height", std::int64_t{3}), make_attr("output_width", std::int64_t{2})});
  m.output("y");
  Tensor regions(DataType::Float, {9, 4});
  for (std::int64_t i = 0; i < 36; ++i)
    regions.as_mutable<float>()[i] = static_cast<float>(i % 4 < 2 ? i % 5 : i % 7 + 6);
  EXPECT_EQ(reordered(m, {{"x", numbers({1, 16, 14, 14})}, {"r", regions}}), kMap);
}

// What is resized to its own size is a view, in either layout.
TEST(Layouts, ResizedToItsOwnSize) {
  for (const char* mode : {"linear", "cubic", "nearest"}) {
    ModelBuilder m(21);
    m.input("x", "float[1,16,14,14]").initializer("same", tensor<std::int64_t>({4}, {1, 16, 14, 14}));
    conv(m, "x", "c", 16).node("Resize", {"c", "", "", "same"}, {"r"}, {make_attr("mode", std::string(mode))});
    conv(m, "r", "y", 16).output("y");
    const Feeds feeds = {{"x", numbers({1, 16, 14, 14})}};
    EXPECT_EQ(reordered(m, feeds), 2 * kMap) << mode;
    for (const ExplainedStep& step : CompiledModel(m.build(), {}, {}).explain(feeds, 1).graph.steps)
      for (const ExplainedOperation& operation : step.operations) EXPECT_NE(operation.op_type, "Resize") << mode;
  }
}

}  // namespace
}  // namespace norn::runtime
