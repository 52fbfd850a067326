// ConstantOfShape: contents that become a shape.
#include "ops/generator/constant_of_shape/constant_of_shape.h"

#include "norn/error.h"
#include "ops/tensor/shape/chain_test.h"

namespace norn::ops::test {
namespace {

Tensor dims(const std::vector<std::int64_t>& values) {
  return tensor<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
}

TEST(ConstantOfShape, EveryType) {
  for (const DataType t : types_of(ConstantOfShape, 1)) {
    const Tensor one = random_tensor(t, {1}, 4);
    const Tensor y = run_and_check(ConstantOfShape, 25, {tensor_attr("value", one)}, {dims({2, 3})})[0].tensor();
    EXPECT_EQ(y.dims(), (norn::Shape{2, 3}));
    EXPECT_EQ(y.dtype(), t);
    EXPECT_EQ(doubles(y), std::vector<double>(6, doubles(one)[0])) << data_type_name(t);
  }
}

TEST(ConstantOfShape, OddShapes) {
  const Tensor scalar = run_and_check(ConstantOfShape, 9, {}, {dims({})})[0].tensor();
  EXPECT_EQ(scalar.dims(), norn::Shape{});
  EXPECT_EQ(doubles(scalar), std::vector<double>{0});
  EXPECT_EQ(run_and_check(ConstantOfShape, 9, {}, {dims({2, 0})})[0].tensor().dims(), (norn::Shape{2, 0}));
  EXPECT_THROW(run(ConstantOfShape, 9, {}, {dims({-1})}), Error);
  EXPECT_THROW(run(ConstantOfShape, 9, {tensor_attr("value", dims({1, 2}))}, {dims({1})}), Error);
  Chain chain;
  EXPECT_THROW(chain(ConstantOfShape, 9, {}, {ints_fact({-1})}), Error);
}

TEST(ConstantOfShape, Symbolic) {
  Chain chain;
  const opset::DimExpr n = opset::DimExpr::variable("N");
  EXPECT_EQ(chain(ConstantOfShape, 20, {}, {symbols({n, 4})}).type.to_string(), "float[N,4]");
  EXPECT_EQ(chain(ConstantOfShape, 20, {}, {fact("int64[3]")}).type.shape->size(), 3u);
  EXPECT_FALSE(chain(ConstantOfShape, 20, {}, {fact("int64[K]")}).type.has_rank());
  EXPECT_EQ(chain(ConstantOfShape, 20, {tensor_attr("value", dims({-1}))}, {ints_fact({3})}).contents(), "[-1,-1,-1]");
  EXPECT_EQ(chain(ConstantOfShape, 20, {tensor_attr("value", dims({7}))}, {ints_fact({})}).contents(), "[7]");
}

}  // namespace
}  // namespace norn::ops::test
