#include "ops/math/pow/pow.h"

#include <cmath>
#include <limits>

#include "norn/error.h"
#include "ops/common/elements.h"
#include "ops/common/slice_test.h"

namespace norn::ops::test {
namespace {

TEST(Pow, FloatingBases) {
  for (const DataType t : {DataType::Float, DataType::Double, DataType::Float16, DataType::BFloat16}) {
    SCOPED_TRACE(data_type_name(t));
    const Tensor x = tensor_of(t, {2, 1}, {4, 0.25}), y = tensor_of(DataType::Int32, {3}, {-1, 0, 2});
    const Tensor z = run_and_check(Pow, 15, {}, {x, y})[0].tensor();
    EXPECT_EQ(z.dtype(), t);
    EXPECT_EQ(doubles(z), (std::vector<double>{0.25, 1, 16, 4, 1, 0.0625}));
  }
  EXPECT_EQ(doubles(run(Pow, 7, {}, {tensor<float>({2}, {2, 9}), tensor<float>({}, {0.5f})})[0].tensor())[1], 3);
}

TEST(Pow, IntegersAreExactAndWrap) {
  const auto power = [](std::int64_t base, std::int64_t exponent) {
    return run(Pow, 15, {}, {tensor<std::int64_t>({}, {base}), tensor<std::int64_t>({}, {exponent})})[0]
        .tensor()
        .as<std::int64_t>()[0];
  };
  EXPECT_EQ(power(3, 39), 4052555153018976267);
  EXPECT_EQ(power(-3, 3), -27);
  EXPECT_EQ(power(2, 64), 0);
  EXPECT_EQ(power(2, -1), 0);
  EXPECT_EQ(power(-1, -3), -1);
  EXPECT_EQ(power(1, -9), 1);
  EXPECT_THROW(power(0, -1), Error);
  const auto root = run(Pow, 15, {}, {tensor<std::int32_t>({}, {17}), tensor<float>({}, {0.5f})})[0].tensor();
  EXPECT_EQ(root.as<std::int32_t>()[0], 4);
}

TEST(Pow, OldVersions) {
  const auto x = tensor<float>({2}, {2, 3}), y = tensor<float>({2}, {3, 2});
  EXPECT_EQ(doubles(run_lifted(Pow, 7, {}, {x, y})[0].tensor()), (std::vector<double>{8, 9}));
  EXPECT_EQ(doubles(run(Pow, 1, {}, {x, y})[0].tensor()), (std::vector<double>{8, 9}));
  const Attributes stretched = {transform::make_attr("broadcast", std::int64_t{1})};
  EXPECT_EQ(doubles(run_lifted(Pow, 1, stretched, {x, tensor<float>({1}, {2})})[0].tensor()),
            (std::vector<double>{4, 9}));
}

}  // namespace
}  // namespace norn::ops::test
