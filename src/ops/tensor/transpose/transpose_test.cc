// Transpose against index arithmetic written out.
#include "ops/tensor/transpose/transpose.h"

#include <algorithm>
#include <numeric>

#include "norn/error.h"
#include "ops/tensor/shape/chain_test.h"

namespace norn::ops::test {
namespace {

using transform::make_attr;

TEST(Transpose, EveryPermutationOfThree) {
  const Tensor x = iota(DataType::Int32, {2, 3, 4});
  std::vector<std::int64_t> perm = {0, 1, 2};
  do {
    const Tensor y = run_and_check(Transpose, 25, {make_attr("perm", perm)}, {x})[0].tensor();
    std::int64_t at = 0;
    const auto& d = y.dims();
    for (std::int64_t i = 0; i < d[0]; ++i) {
      for (std::int64_t j = 0; j < d[1]; ++j) {
        for (std::int64_t k = 0; k < d[2]; ++k, ++at) {
          std::int64_t from[3];
          from[perm[0]] = i, from[perm[1]] = j, from[perm[2]] = k;
          EXPECT_EQ(y.as<std::int32_t>()[at], from[0] * 12 + from[1] * 4 + from[2]);
        }
      }
    }
  } while (std::next_permutation(perm.begin(), perm.end()));
}

TEST(Transpose, TwiceIsIdentityForEveryType) {
  for (const DataType t : types_of(Transpose)) {
    const Tensor x = random_tensor(t, {3, 5, 2}, 11, true);
    const Value once = run_and_check(Transpose, 25, {}, {x})[0];
    EXPECT_EQ(once.tensor().dims(), (norn::Shape{2, 5, 3}));
    EXPECT_TRUE(same_elements(run(Transpose, 25, {}, {once})[0].tensor(), x)) << data_type_name(t);
  }
}

TEST(Transpose, OddShapes) {
  EXPECT_EQ(run_and_check(Transpose, 1, {}, {tensor<float>({}, {4})})[0].tensor().dims(), norn::Shape{});
  EXPECT_EQ(ints(run_and_check(Transpose, 13, {}, {iota(DataType::Int64, {3})})[0]),
            (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(run_and_check(Transpose, 13, {}, {Tensor(DataType::Float, {0, 3})})[0].tensor().dims(),
            (norn::Shape{3, 0}));
  const Tensor x = iota(DataType::Float, {2, 3});
  EXPECT_THROW(run(Transpose, 13, {make_attr("perm", std::vector<std::int64_t>{0, 0})}, {x}), Error);
  EXPECT_THROW(run(Transpose, 13, {make_attr("perm", std::vector<std::int64_t>{0})}, {x}), Error);
  EXPECT_THROW(run(Transpose, 13, {make_attr("perm", std::vector<std::int64_t>{0, 2})}, {x}), Error);
}

TEST(Transpose, Symbolic) {
  Chain chain;
  const Attributes heads = {make_attr("perm", std::vector<std::int64_t>{0, 2, 1, 3})};
  EXPECT_EQ(chain(Transpose, 17, heads, {fact("float[N,S,12,64]")}).shape(), "[N,12,S,64]");
  EXPECT_EQ(chain(Transpose, 17, heads, {fact("float")}).type.shape->size(), 4u);
  EXPECT_THROW(chain(Transpose, 17, heads, {fact("float[N,S]")}), Error);
  EXPECT_EQ(chain(Transpose, 17, {}, {fact("float[A,B]")}).shape(), "[B,A]");
}

}  // namespace
}  // namespace norn::ops::test
