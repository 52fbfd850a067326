// Reshape: element order never changes, so sizes are what there is to hold: 0, -1, allowzero, symbolic targets.
#include "ops/tensor/reshape/reshape.h"

#include "norn/error.h"
#include "ops/tensor/shape/chain_test.h"

namespace norn::ops::test {
namespace {

using transform::make_attr;

Tensor target(const std::vector<std::int64_t>& values) {
  return tensor<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
}

TEST(Reshape, KeepsElementsOfEveryType) {
  for (const DataType t : types_of(Reshape)) {
    const Tensor x = random_tensor(t, {2, 3, 4}, 7, true);
    const Tensor y = run_and_check(Reshape, 25, {}, {x, target({0, -1})})[0].tensor();
    EXPECT_EQ(y.dims(), (norn::Shape{2, 12}));
    EXPECT_TRUE(same_elements(x, y)) << data_type_name(t);
  }
}

TEST(Reshape, ZeroCopiesAndMinusOneFills) {
  struct Case {
    norn::Shape in, target, out;
    bool allowzero = false;
  };
  const Case cases[] = {
      {{2, 3, 4}, {4, 6}, {4, 6}},
      {{2, 3, 4}, {0, 0, -1}, {2, 3, 4}},
      {{2, 3, 4}, {-1}, {24}},
      {{2, 3, 4}, {0, -1, 2}, {2, 6, 2}},
      {{1}, {}, {}},
      {{}, {1, 1}, {1, 1}},
      {{}, {-1}, {1}},
      {{0, 4}, {0, -1}, {0, 4}},
      {{0, 4}, {-1, 4}, {0, 4}},
      {{0, 4}, {-1, 2}, {0, 2}},
      {{0, 3}, {3, 0}, {3, 0}, true},
      {{2, 0, 3}, {0, 0, 5}, {0, 0, 5}, true},
      {{2, 0, 3}, {0, 0, 5}, {2, 0, 5}},
  };
  for (const Case& c : cases) {
    const Attributes attrs = {make_attr("allowzero", std::int64_t{c.allowzero})};
    const Tensor x = iota(DataType::Float, c.in);
    EXPECT_EQ(run_and_check(Reshape, 14, attrs, {x, target(c.target)})[0].tensor().dims(), c.out)
        << to_string(c.in) << " to " << to_string(c.target);
  }
}

TEST(Reshape, RefusesWhatDoesNotFit) {
  const auto refused = [](const norn::Shape& in, const std::vector<std::int64_t>& to, std::int64_t allowzero) {
    const Attributes attrs = {make_attr("allowzero", allowzero)};
    const Tensor x = iota(DataType::Float, in), t = target(to);
    EXPECT_THROW(run(Reshape, 14, attrs, {x, t}), Error) << to_string(in) << " to " << to_string(to);
    Chain chain;
    EXPECT_THROW(chain(Reshape, 14, attrs, {fact(x), fact(t)}), Error) << to_string(in) << " to " << to_string(to);
  };
  refused({2, 3}, {4}, 0);
  refused({2, 3}, {-1, 4}, 0);
  refused({2, 3}, {-1, -1}, 0);
  refused({2, 3}, {2, 3, 0}, 0);
  refused({2, 3}, {-2, 3}, 0);
  refused({0, 3}, {0, -1}, 1);
  refused({2, 3}, {0, 3}, 1);
  refused({2, 3}, {INT64_MAX, INT64_MAX}, 0);
}

TEST(Reshape, SymbolicSizes) {
  Chain chain;
  const auto shape = [&](std::string_view in, const opset::Dims& to) {
    return chain(Reshape, 21, {}, {fact(in), symbols(to)}).shape();
  };
  const opset::DimExpr n = opset::DimExpr::variable("N"), s = opset::DimExpr::variable("S");
  EXPECT_EQ(shape("float[N,S,768]", {0, 0, 12, 64}), "[N,S,12,64]");
  EXPECT_EQ(shape("float[N,S,768]", {0, -1, 12, 64}), "[N,S,12,64]");
  EXPECT_EQ(shape("float[N,S,768]", {-1, 768}), "[N*S,768]");
  EXPECT_EQ(shape("float[N,S,768]", {n * s, -1}), "[N*S,768]");
  EXPECT_EQ(shape("float[N,S,12,64]", {n, -1, 768}), "[N,S,768]");
  EXPECT_EQ(shape("float[N,S]", {-1}), "[N*S]");
  EXPECT_EQ(shape("float[N,6]", {-1, 4}), "[N + floor(N/2),4]");
  EXPECT_EQ(shape("float", {0, 5}).substr(3), ",5]");
  Fact two_unknown = fact("int64[2]");
  EXPECT_EQ(chain(Reshape, 21, {}, {fact("float[N,S]"), two_unknown}).type.shape->size(), 2u);
  EXPECT_EQ(chain(Reshape, 21, {}, {fact("float[N,S]"), fact("int64[1]")}).shape(), "[N*S]");
  EXPECT_FALSE(chain(Reshape, 21, {}, {fact("float[N,S]"), fact("int64[K]")}).type.has_rank());
  EXPECT_EQ(chain(Reshape, 21, {}, {symbols({n}), ints_fact({})}).contents(), "[N]");
  EXPECT_EQ(chain(Reshape, 4, {make_attr("shape", std::vector<std::int64_t>{0, -1})}, {fact("float[N,S,2]")}).shape(),
            "[N,2*S]");
}

TEST(Reshape, Versions) {
  const Tensor x = iota(DataType::Float, {2, 6});
  const Attributes shape = {make_attr("shape", std::vector<std::int64_t>{3, -1})};
  EXPECT_EQ(run_lifted(Reshape, 1, shape, {x})[0].tensor().dims(), (norn::Shape{3, 4}));
  EXPECT_EQ(run_lifted(Reshape, 5, {}, {x, target({3, 4})})[0].tensor().dims(), (norn::Shape{3, 4}));
  const std::vector<Operand> in = {{x}, {target({0, -1, 2}), true}};
  const auto down = moved(Reshape, 13, 4, {}, in);
  EXPECT_TRUE(down.constants.empty());
  EXPECT_EQ(down.nodes.at(0).node.input.size(), 1u);
  EXPECT_EQ(run_moved(down, in).tensor().dims(), (norn::Shape{2, 3, 2}));
  EXPECT_THROW(moved(Reshape, 13, 4, {}, {{x}, {target({12})}}), Error);

  const Attributes allowzero = {make_attr("allowzero", std::int64_t{1})};
  const std::vector<Operand> plain = {{x}, {target({12}), true}};
  EXPECT_TRUE(moved(Reshape, 14, 13, allowzero, plain).nodes.at(0).node.attribute.empty());
  EXPECT_THROW(moved(Reshape, 14, 13, allowzero, {{iota(DataType::Float, {2, 0})}, {target({0, 2}), true}}), Error);
  EXPECT_NO_THROW(moved(Reshape, 14, 13, allowzero, {{iota(DataType::Float, {0, 2})}, {target({0, 7}), true}}));
  EXPECT_THROW(moved(Reshape, 14, 13, allowzero, {{x}, {target({12})}}), Error);
}

}  // namespace
}  // namespace norn::ops::test
