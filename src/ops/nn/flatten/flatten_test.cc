// Flatten against the products of the dimensions on both sides of the axis.
#include "ops/nn/flatten/flatten.h"

#include "norn/error.h"
#include "ops/tensor/shape/chain_test.h"

namespace norn::ops::test {
namespace {

using transform::make_attr;

TEST(Flatten, EveryAxisOfEveryType) {
  const std::vector<norn::Shape> expected = {{1, 24}, {2, 12}, {6, 4}, {24, 1}};
  for (const DataType t : types_of(Flatten)) {
    const Tensor x = random_tensor(t, {2, 3, 4}, 3, true);
    for (std::int64_t axis = -3; axis <= 3; ++axis) {
      const Tensor y = run_and_check(Flatten, 25, {make_attr("axis", axis)}, {x})[0].tensor();
      EXPECT_EQ(y.dims(), expected[static_cast<std::size_t>(axis < 0 ? axis + 3 : axis)]) << axis;
      EXPECT_TRUE(same_elements(x, y));
    }
  }
  EXPECT_EQ(
      run_and_check(Flatten, 25, {make_attr("axis", std::int64_t{0})}, {tensor<float>({}, {5})})[0].tensor().dims(),
      (norn::Shape{1, 1}));
  EXPECT_EQ(run_and_check(Flatten, 25, {}, {Tensor(DataType::Float, {0, 3, 2})})[0].tensor().dims(),
            (norn::Shape{0, 6}));
  EXPECT_THROW(run(Flatten, 25, {make_attr("axis", std::int64_t{4})}, {iota(DataType::Float, {2, 3, 4})}), Error);
}

TEST(Flatten, Symbolic) {
  Chain chain;
  EXPECT_EQ(chain(Flatten, 21, {}, {fact("float[N,C,H,W]")}).shape(), "[N,C*H*W]");
  EXPECT_EQ(chain(Flatten, 21, {make_attr("axis", std::int64_t{-1})}, {fact("float[N,512,7]")}).shape(), "[512*N,7]");
  EXPECT_EQ(chain(Flatten, 21, {}, {fact("float")}).type.shape->size(), 2u);
  EXPECT_THROW(chain(Flatten, 9, {make_attr("axis", std::int64_t{-1})}, {fact("float[N,2]")}), Error);
}

TEST(Flatten, NegativeAxisGoesDown) {
  const Tensor x = iota(DataType::Float, {2, 3, 4});
  const Attributes attrs = {make_attr("axis", std::int64_t{-1})};
  const auto down = moved(Flatten, 13, 9, attrs, {{x}});
  EXPECT_EQ(down.nodes.at(0).node.attribute.at(0).i.get(), 2);
  EXPECT_THROW(moved(Flatten, 13, 9, attrs, {{x, false, false}}), Error);
  EXPECT_EQ(run_lifted(Flatten, 1, {}, {x})[0].tensor().dims(), (norn::Shape{2, 12}));
}

}  // namespace
}  // namespace norn::ops::test
