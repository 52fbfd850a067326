// CumSum and CumProd against closed forms: sums of 1, 2, 3, ... are triangular numbers, products of a constant are
// powers.
#include "ops/math/cumulative/cumulative.h"

#include <cmath>
#include <limits>

#include "norn/error.h"
#include "ops/common/slice_test.h"
#include "transform/version_step.h"

namespace norn::ops {
namespace {

using namespace test;
using transform::make_attr;

std::vector<double> run_along(const opset::Operator& op, const Tensor& x, std::int64_t axis, bool exclusive,
                              bool reverse) {
  const Attributes attrs = {make_attr("exclusive", std::int64_t{exclusive}),
                            make_attr("reverse", std::int64_t{reverse})};
  return doubles(run_and_check(op, 26, attrs, {x, tensor<std::int64_t>({}, {axis})})[0].tensor());
}

std::vector<DataType> all_types() {
  std::vector<DataType> types;
  for (int i = 1; i < kDataTypeCount; ++i) {
    if ((CumSum.history.back().types[0].set.tensor >> i) & 1u) types.push_back(static_cast<DataType>(i));
  }
  return types;
}

TEST(Cumulative, SumsAreTriangularNumbersInEveryType) {
  ASSERT_EQ(all_types().size(), 8u);
  for (const DataType type : all_types()) {
    SCOPED_TRACE(data_type_name(type));
    const Tensor x = tensor_of(type, {5}, {1, 2, 3, 4, 5});
    EXPECT_EQ(run_along(CumSum, x, 0, false, false), (std::vector<double>{1, 3, 6, 10, 15}));
    EXPECT_EQ(run_along(CumSum, x, -1, true, false), (std::vector<double>{0, 1, 3, 6, 10}));
    EXPECT_EQ(run_along(CumSum, x, 0, false, true), (std::vector<double>{15, 14, 12, 9, 5}));
    EXPECT_EQ(run_along(CumSum, x, 0, true, true), (std::vector<double>{14, 12, 9, 5, 0}));
  }
}

TEST(Cumulative, ProductsOfAConstantArePowersInEveryType) {
  for (const DataType type : all_types()) {
    SCOPED_TRACE(data_type_name(type));
    const Tensor x = tensor_of(type, {4}, {3, 3, 3, 3});
    EXPECT_EQ(run_along(CumProd, x, 0, false, false), (std::vector<double>{3, 9, 27, 81}));
    EXPECT_EQ(run_along(CumProd, x, 0, true, false), (std::vector<double>{1, 3, 9, 27}));
    EXPECT_EQ(run_along(CumProd, x, 0, false, true), (std::vector<double>{81, 27, 9, 3}));
    EXPECT_EQ(run_along(CumProd, x, 0, true, true), (std::vector<double>{27, 9, 3, 1}));
  }
}

TEST(Cumulative, RunsAlongEachAxisApart) {
  // x[i, j, k] = 100 i + 10 j + k: the sum over an axis up to n is (n + 1) times the rest and n (n + 1) / 2 of the
  // axis.
  std::vector<double> values;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k) values.push_back(100 * i + 10 * j + k);
  const Tensor x = tensor_of(DataType::Int64, {2, 3, 4}, values);
  const double weight[] = {100, 10, 1};
  for (int axis = 0; axis < 3; ++axis) {
    const auto sums = run_along(CumSum, x, axis, false, false);
    std::size_t at = 0;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 4; ++k, ++at) {
          const int index[] = {i, j, k};
          const double n = index[axis], rest = values[at] - weight[axis] * n;
          EXPECT_EQ(sums[at], (n + 1) * rest + weight[axis] * n * (n + 1) / 2) << axis << " " << at;
        }
  }
}

TEST(Cumulative, IntegersWrapAndFloatsRoundOnce) {
  const Tensor wide = tensor<std::int64_t>({2}, {std::numeric_limits<std::int64_t>::max(), 1});
  const auto wrapped = run_and_check(CumSum, 14, {}, {wide, tensor<std::int64_t>({}, {0})});
  EXPECT_EQ(wrapped[0].tensor().as<std::int64_t>()[1], std::numeric_limits<std::int64_t>::min());
  // 2^24 + 1 + 1 is 2^24 + 2; added one by one in single precision it would stay 2^24.
  EXPECT_EQ(run_along(CumSum, tensor_of(DataType::Float, {3}, {0x1p24, 1, 1}), 0, false, false)[2], 0x1p24 + 2);
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const auto odd = run_along(CumSum, tensor_of(DataType::Double, {4}, {1, nan, 2, inf}), 0, false, false);
  EXPECT_EQ(odd[0], 1);
  EXPECT_TRUE(std::isnan(odd[1]) && std::isnan(odd[2]) && std::isnan(odd[3]));
}

TEST(Cumulative, EmptyTensorsAndAxesThatAreWrong) {
  EXPECT_TRUE(run_along(CumSum, tensor_of(DataType::Float, {0, 3}, {}), 0, true, true).empty());
  EXPECT_TRUE(run_along(CumProd, tensor_of(DataType::Float, {2, 0}, {}), 1, false, false).empty());
  const Tensor x = tensor_of(DataType::Float, {2}, {1, 2});
  EXPECT_THROW(run(CumSum, 14, {}, {x, tensor<std::int64_t>({}, {1})}), Error);
  EXPECT_THROW(run(CumSum, 14, {}, {x, tensor<std::int64_t>({2}, {0, 0})}), Error);
  EXPECT_THROW(run(CumSum, 14, {}, {tensor_of(DataType::Float, {}, {1}), tensor<std::int64_t>({}, {0})}), Error);
}

TEST(Cumulative, KnowsTheShapeWithoutTheAxis) {
  EXPECT_EQ(infer(CumSum, 14, {}, {type("float[N,3]"), type("int64[]")}).types[0].to_string(), "float[N,3]");
  EXPECT_EQ(infer(CumProd, 26, {}, {type("float"), type("int32[1]")}).types[0].to_string(), "float");
}

}  // namespace
}  // namespace norn::ops
