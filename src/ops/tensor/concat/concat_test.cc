// Concat: what is joined can be cut apart again; sizes add along the axis and agree elsewhere.
#include "ops/tensor/concat/concat.h"

#include "norn/error.h"
#include "ops/tensor/shape/chain_test.h"
#include "ops/tensor/slice/slice.h"

namespace norn::ops::test {
namespace {

using transform::make_attr;

TEST(Concat, SlicesComeBackForEveryTypeAndAxis) {
  for (const DataType t : types_of(Concat)) {
    for (std::int64_t axis = -3; axis < 3; ++axis) {
      const auto a = static_cast<std::size_t>(axis < 0 ? axis + 3 : axis);
      norn::Shape first = {2, 3, 4}, second = first, third = first;
      first[a] = 1;
      second[a] = 0;
      third[a] = 3;
      const Tensor x = random_tensor(t, first, 1, true), y = random_tensor(t, second, 2),
                   z = random_tensor(t, third, 3, true);
      const Value joined = run_and_check(Concat, 13, {make_attr("axis", axis)}, {x, y, z})[0];
      EXPECT_EQ(joined.tensor().dims()[a], 4);
      const auto cut = [&](std::int64_t from, std::int64_t to) {
        return run(Slice, 13, {},
                   {joined, tensor<std::int64_t>({1}, {from}), tensor<std::int64_t>({1}, {to}),
                    tensor<std::int64_t>({1}, {axis})})[0]
            .tensor();
      };
      EXPECT_TRUE(same_elements(cut(0, 1), x)) << data_type_name(t) << " axis " << axis;
      EXPECT_TRUE(same_elements(cut(1, 4), z)) << data_type_name(t) << " axis " << axis;
    }
  }
}

TEST(Concat, Refusals) {
  const Attributes zero = {make_attr("axis", std::int64_t{0})};
  EXPECT_THROW(run(Concat, 13, zero, {iota(DataType::Float, {2, 3}), iota(DataType::Float, {2, 4})}), Error);
  EXPECT_THROW(run(Concat, 13, zero, {iota(DataType::Float, {2, 3}), iota(DataType::Float, {2})}), Error);
  EXPECT_THROW(run(Concat, 13, zero, {tensor<float>({}, {1})}), Error);
  Chain chain;
  EXPECT_THROW(chain(Concat, 13, zero, {fact("float[2,3]"), fact("float[2,4]")}), Error);
  EXPECT_THROW(chain(Concat, 13, zero, {fact("float[2,3]"), fact("float[2]")}), Error);
  EXPECT_THROW(chain(Concat, 13, zero, {fact("float[]")}), Error);
  EXPECT_THROW(chain(Concat, 4, {make_attr("axis", std::int64_t{-1})}, {fact("float[2]")}), Error);
}

TEST(Concat, Symbolic) {
  Chain chain;
  const Attributes one = {make_attr("axis", std::int64_t{1})}, zero = {make_attr("axis", std::int64_t{0})};
  EXPECT_EQ(chain(Concat, 13, one, {fact("float[N,P,64]"), fact("float[N,S,64]")}).shape(), "[N,P + S,64]");
  EXPECT_EQ(chain(Concat, 13, one, {fact("float[A,1]"), fact("float[5,2]")}).shape(), "[5,3]");
  const Fact partly = chain(Concat, 13, one, {fact("float[N,2]"), fact("float")});
  EXPECT_EQ((*partly.type.shape)[0].to_string(), "N");
  EXPECT_FALSE((*partly.type.shape)[1].is_constant());
  EXPECT_EQ(chain(Concat, 13, one, {fact("float"), fact("float")}).shape(), "?");
  const opset::DimExpr n = opset::DimExpr::variable("K");
  EXPECT_EQ(chain(Concat, 13, zero, {symbols({n}), ints_fact({}), ints_fact({-1, 7})}).contents(), "[K,-1,7]");
  EXPECT_EQ(chain(Concat, 13, zero, {symbols({n}), fact("int64[1]")}).contents(), "?");
}

TEST(Concat, Versions) {
  const Tensor x = iota(DataType::Float, {2, 1}), y = iota(DataType::Float, {2, 2});
  EXPECT_EQ(run_lifted(Concat, 1, {}, {x, y})[0].tensor().dims(), (norn::Shape{2, 3}));
  EXPECT_EQ(infer(Concat, 1, {}, {type("float[2,1]"), type("float[2,2]")}).types[0].to_string(), "float[2,3]");
  const Attributes last = {make_attr("axis", std::int64_t{-1})};
  EXPECT_EQ(moved(Concat, 13, 4, last, {{x}, {y}}).nodes.at(0).node.attribute.at(0).i.get(), 1);
  EXPECT_EQ(moved(Concat, 13, 1, last, {{x}, {y}}).nodes.at(0).schema->since, 1);
  EXPECT_THROW(moved(Concat, 13, 4, last, {{x, false, false}, {y, false, false}}), Error);
}

}  // namespace
}  // namespace norn::ops::test
