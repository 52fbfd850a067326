// NonZero: the indices, row by row, name exactly the elements that are not zero.
#include "ops/tensor/nonzero/nonzero.h"

#include <cmath>

#include "ops/tensor/shape/chain_test.h"

namespace norn::ops::test {
namespace {

TEST(NonZero, EveryType) {
  for (const DataType t : types_of(NonZero)) {
    if (t == DataType::String) continue;
    const Value y = run_and_check(NonZero, 13, {}, {tensor_of(t, {2, 3}, {1, 0, 1, 0, 0, 1})})[0];
    EXPECT_EQ(y.tensor().dims(), (norn::Shape{2, 3}));
    EXPECT_EQ(ints(y), (std::vector<std::int64_t>{0, 0, 1, 0, 2, 2})) << data_type_name(t);
  }
  EXPECT_EQ(ints(run(NonZero, 13, {}, {tensor<std::string>({3}, {"a", "", "0"})})[0]),
            (std::vector<std::int64_t>{0, 2}));
}

TEST(NonZero, OddValuesAndShapes) {
  EXPECT_EQ(ints(run_and_check(NonZero, 9, {}, {tensor<float>({3}, {NAN, -0.0f, -INFINITY})})[0]),
            (std::vector<std::int64_t>{0, 2}));
  EXPECT_EQ(run_and_check(NonZero, 9, {}, {tensor<float>({}, {2})})[0].tensor().dims(), (norn::Shape{0, 1}));
  EXPECT_EQ(run_and_check(NonZero, 9, {}, {tensor<float>({}, {0})})[0].tensor().dims(), (norn::Shape{0, 0}));
  EXPECT_EQ(run_and_check(NonZero, 9, {}, {Tensor(DataType::Float, {2, 0, 3})})[0].tensor().dims(),
            (norn::Shape{3, 0}));
}

TEST(NonZero, SizesAreUnknownAndDistinct) {
  Chain chain;
  const Fact a = chain(NonZero, 13, {}, {fact("float[N,3]")}), b = chain(NonZero, 13, {}, {fact("float[N,3]")});
  EXPECT_EQ((*a.type.shape)[0].to_string(), "2");
  EXPECT_EQ((*a.type.shape)[1].to_string()[0], '?');
  EXPECT_NE((*a.type.shape)[1].to_string(), (*b.type.shape)[1].to_string());
  EXPECT_EQ(chain(NonZero, 13, {}, {fact("float")}).type.shape->size(), 2u);
}

}  // namespace
}  // namespace norn::ops::test
