// Squeeze and Unsqueeze undo each other; symbolic sizes that are squeezed become 1.
#include "ops/tensor/squeeze/squeeze.h"

#include "norn/error.h"
#include "ops/tensor/shape/chain_test.h"

namespace norn::ops::test {
namespace {

using transform::make_attr;

Tensor axes(const std::vector<std::int64_t>& values) {
  return tensor<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
}

TEST(Squeeze, UndoesUnsqueezeForEveryType) {
  for (const DataType t : types_of(Squeeze)) {
    const Tensor x = random_tensor(t, {2, 3}, 5, true);
    const Tensor up = run_and_check(Unsqueeze, 25, {}, {x, axes({-1, 0})})[0].tensor();
    EXPECT_EQ(up.dims(), (norn::Shape{1, 2, 3, 1}));
    const Tensor back = run_and_check(Squeeze, 25, {}, {up, axes({0, -1})})[0].tensor();
    EXPECT_EQ(back.dims(), x.dims());
    EXPECT_TRUE(same_elements(back, x)) << data_type_name(t);
  }
}

TEST(Squeeze, WithoutAxesAndEmptyAxes) {
  const Tensor x = iota(DataType::Float, {1, 2, 1, 1});
  EXPECT_EQ(run_and_check(Squeeze, 13, {}, {x})[0].tensor().dims(), norn::Shape{2});
  EXPECT_EQ(run_and_check(Squeeze, 13, {}, {x, axes({})})[0].tensor().dims(), x.dims());
  EXPECT_EQ(run_and_check(Squeeze, 13, {}, {x, axes({2})})[0].tensor().dims(), (norn::Shape{1, 2, 1}));
  EXPECT_EQ(run_and_check(Unsqueeze, 13, {}, {tensor<float>({}, {1}), axes({0})})[0].tensor().dims(), norn::Shape{1});
  EXPECT_EQ(run_and_check(Unsqueeze, 13, {}, {Tensor(DataType::Float, {0}), axes({1})})[0].tensor().dims(),
            (norn::Shape{0, 1}));
}

TEST(Squeeze, Refusals) {
  const Tensor x = iota(DataType::Float, {1, 2});
  EXPECT_THROW(run(Squeeze, 13, {}, {x, axes({1})}), Error);
  EXPECT_THROW(run(Squeeze, 13, {}, {x, axes({2})}), Error);
  EXPECT_THROW(run(Squeeze, 13, {}, {x, axes({0, -2})}), Error);
  EXPECT_THROW(run(Unsqueeze, 13, {}, {x, axes({0, 0})}), Error);
  EXPECT_THROW(run(Unsqueeze, 13, {}, {x, axes({3})}), Error);
  Chain chain;
  EXPECT_THROW(chain(Squeeze, 13, {}, {fact("float[1,2]"), ints_fact({1})}), Error);
  EXPECT_THROW(chain(Unsqueeze, 13, {}, {fact("float[1,2]"), ints_fact({1, -3})}), Error);
  EXPECT_THROW(chain(Squeeze, 9, {make_attr("axes", std::vector<std::int64_t>{-1})}, {fact("float[1]")}), Error);
}

TEST(Squeeze, Symbolic) {
  Chain chain;
  const Fact x = fact("float[N,M]");
  EXPECT_EQ(chain(Squeeze, 13, {}, {x, ints_fact({0})}).shape(), "[M]");
  EXPECT_EQ(chain.resolved(x).shape(), "[1,M]");
  EXPECT_FALSE(chain(Squeeze, 13, {}, {fact("float[1,K]")}).type.has_rank());
  EXPECT_EQ(chain(Squeeze, 13, {}, {fact("float[1,3]")}).shape(), "[3]");
  EXPECT_EQ(chain(Squeeze, 13, {}, {fact("float[A,B,C]"), fact("int64[2]")}).type.shape->size(), 1u);
  EXPECT_EQ(chain(Unsqueeze, 13, {}, {fact("float[A]"), fact("int64[2]")}).type.shape->size(), 3u);
  EXPECT_EQ(chain(Unsqueeze, 13, {}, {fact("float[A,B]"), ints_fact({1, -1})}).shape(), "[A,1,B,1]");
  EXPECT_FALSE(chain(Unsqueeze, 13, {}, {fact("float"), ints_fact({0})}).type.has_rank());
  const opset::DimExpr n = opset::DimExpr::variable("A");
  EXPECT_EQ(chain(Squeeze, 13, {}, {symbols({n}), ints_fact({0})}).contents(), "[A]");
  EXPECT_EQ(chain(Squeeze, 13, {}, {symbols({n}), ints_fact({0})}).shape(), "[]");
}

TEST(Squeeze, Versions) {
  const Tensor x = iota(DataType::Float, {1, 3, 1});
  const Attributes last = {make_attr("axes", std::vector<std::int64_t>{-1})};
  EXPECT_EQ(run_lifted(Squeeze, 1, {}, {x})[0].tensor().dims(), norn::Shape{3});
  EXPECT_EQ(run_lifted(Squeeze, 11, last, {x})[0].tensor().dims(), (norn::Shape{1, 3}));
  EXPECT_EQ(run_lifted(Unsqueeze, 11, last, {x})[0].tensor().dims(), (norn::Shape{1, 3, 1, 1}));

  const std::vector<Operand> in = {{x}, {axes({-1}), true}};
  const auto squeeze = moved(Squeeze, 13, 9, {}, in), unsqueeze = moved(Unsqueeze, 13, 9, {}, in);
  EXPECT_EQ(squeeze.nodes.at(0).node.attribute.at(0).ints, std::vector<std::int64_t>{2});
  EXPECT_EQ(unsqueeze.nodes.at(0).node.attribute.at(0).ints, std::vector<std::int64_t>{3});
  EXPECT_EQ(run_moved(squeeze, in).tensor().dims(), (norn::Shape{1, 3}));
  EXPECT_EQ(run_moved(unsqueeze, in).tensor().dims(), (norn::Shape{1, 3, 1, 1}));
  EXPECT_NO_THROW(moved(Squeeze, 13, 9, {}, {{x}}));
  EXPECT_THROW(moved(Squeeze, 13, 11, {}, {{x}, {axes({0})}}), Error);
  EXPECT_THROW(moved(Squeeze, 13, 9, {}, {{x, false, false}, {axes({-1}), true}}), Error);
}

}  // namespace
}  // namespace norn::ops::test
