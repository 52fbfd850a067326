// Gather against index arithmetic written out.
#include "ops/tensor/gather/gather.h"

#include "norn/error.h"
#include "ops/tensor/shape/chain_test.h"

namespace norn::ops::test {
namespace {

using transform::make_attr;

TEST(Gather, EveryAxisAndIndexType) {
  const Tensor x = iota(DataType::Int32, {2, 3, 4});
  const std::vector<double> picks = {0, -1, 1, -2};
  for (const DataType index : {DataType::Int32, DataType::Int64}) {
    for (std::int64_t axis = -3; axis < 3; ++axis) {
      const auto a = static_cast<std::size_t>(axis < 0 ? axis + 3 : axis);
      const Tensor y =
          run_and_check(Gather, 13, {make_attr("axis", axis)}, {x, tensor_of(index, {2, 2}, picks)})[0].tensor();
      norn::Shape dims = x.dims();
      dims[a] = 4;
      std::vector<double> expected;
      for (std::int64_t i = 0; i < dims[0]; ++i) {
        for (std::int64_t j = 0; j < dims[1]; ++j) {
          for (std::int64_t k = 0; k < dims[2]; ++k) {
            std::int64_t at[3] = {i, j, k};
            const auto p = static_cast<std::int64_t>(picks[static_cast<std::size_t>(at[a])]);
            at[a] = p < 0 ? p + x.dims()[a] : p;
            expected.push_back(static_cast<double>(at[0] * 12 + at[1] * 4 + at[2]));
          }
        }
      }
      EXPECT_EQ(doubles(y), expected) << "axis " << axis;
      EXPECT_EQ(y.rank(), 4);
    }
  }
}

TEST(Gather, EveryTypeAndOddShapes) {
  for (const DataType t : types_of(Gather)) {
    const Tensor x = random_tensor(t, {4, 3}, 6, true);
    const Value once = run_and_check(Gather, 13, {}, {x, tensor<std::int64_t>({4}, {3, 2, 1, 0})})[0];
    EXPECT_TRUE(same_elements(run(Gather, 13, {}, {once, tensor<std::int64_t>({4}, {-1, -2, -3, -4})})[0].tensor(), x));
  }
  const Tensor x = iota(DataType::Float, {4, 3});
  EXPECT_EQ(run_and_check(Gather, 13, {}, {x, tensor<std::int64_t>({}, {2})})[0].tensor().dims(), norn::Shape{3});
  EXPECT_EQ(run_and_check(Gather, 13, {}, {x, Tensor(DataType::Int64, {0, 2})})[0].tensor().dims(),
            (norn::Shape{0, 2, 3}));
  EXPECT_EQ(run_and_check(Gather, 13, {}, {Tensor(DataType::Float, {4, 0}), tensor<std::int64_t>({1}, {3})})[0]
                .tensor()
                .dims(),
            (norn::Shape{1, 0}));
}

TEST(Gather, IndicesAreChecked) {
  const Tensor x = iota(DataType::Float, {3});
  for (const std::int64_t bad : {std::int64_t{3}, std::int64_t{-4}, INT64_MAX, INT64_MIN}) {
    EXPECT_THROW(run(Gather, 13, {}, {x, tensor<std::int64_t>({1}, {bad})}), Error) << bad;
  }
  EXPECT_THROW(run(Gather, 13, {}, {Tensor(DataType::Float, {0}), tensor<std::int64_t>({1}, {0})}), Error);
  EXPECT_THROW(run(Gather, 13, {}, {tensor<float>({}, {1}), tensor<std::int64_t>({1}, {0})}), Error);
  EXPECT_THROW(run(Gather, 13, {make_attr("axis", std::int64_t{1})}, {x, tensor<std::int64_t>({1}, {0})}), Error);
}

TEST(Gather, Symbolic) {
  Chain chain;
  const opset::DimExpr n = opset::DimExpr::variable("N");
  const Fact shape = symbols({n, 3, n * 2});
  EXPECT_EQ(chain(Gather, 13, {}, {shape, ints_fact({-1, 0})}).contents(), "[2*N,N]");
  const Fact one = chain(Gather, 13, {}, {shape, int_fact(1)});
  EXPECT_EQ(one.shape(), "[]");
  EXPECT_EQ(one.contents(), "[3]");
  EXPECT_THROW(chain(Gather, 13, {}, {shape, int_fact(3)}), Error);
  EXPECT_EQ(chain(Gather, 13, {}, {fact("float[V,64]"), fact("int64[B,S]")}).shape(), "[B,S,64]");
  EXPECT_EQ(chain(Gather, 13, {make_attr("axis", std::int64_t{-1})}, {fact("float[A,B,C]"), fact("int32[]")}).shape(),
            "[A,B]");
  EXPECT_FALSE(chain(Gather, 13, {}, {fact("float[A]"), fact("int64")}).type.has_rank());
  EXPECT_EQ(chain(Gather, 13, {}, {fact("float"), fact("int64[1]")}).type.elem, DataType::Float);
}

TEST(Gather, NegativeIndicesGoDown) {
  const Tensor x = iota(DataType::Float, {3});
  const std::vector<Operand> in = {{x}, {tensor<std::int32_t>({2}, {-1, 0}), true}};
  const auto down = moved(Gather, 13, 9, {}, in);
  ASSERT_EQ(down.constants.size(), 1u);
  EXPECT_EQ(doubles(down.constants[0].second), (std::vector<double>{2, 0}));
  EXPECT_EQ(doubles(run_moved(down, in).tensor()), (std::vector<double>{2, 0}));
  EXPECT_THROW(moved(Gather, 13, 9, {}, {{x, false, false}, in[1]}), Error);
  EXPECT_EQ(doubles(run_lifted(Gather, 1, {}, {x, in[1].value})[0].tensor()), (std::vector<double>{2, 0}));
}

}  // namespace
}  // namespace norn::ops::test
