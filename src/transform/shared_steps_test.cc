// Broadcasting before version 7, by `axis`, against the same positions counted by hand.
#include "transform/shared_steps.h"

#include <gtest/gtest.h>

#include "norn/error.h"
#include "ops/common/slice_test.h"
#include "ops/logical/compare/compare.h"
#include "ops/logical/logical/logical.h"
#include "ops/math/binary_arith/binary_arith.h"
#include "ops/math/pow/pow.h"

namespace norn::transform {
namespace {

using namespace ops::test;

const Attributes kAlongFirst = {make_attr("broadcast", std::int64_t{1}), make_attr("axis", std::int64_t{0})};

// x[i, j] against y[i].
std::vector<double> along_first(const opset::Operator& op, DataType type, const std::vector<double>& x,
                                const std::vector<double>& y) {
  const std::vector<Value> inputs = {tensor_of(type, {2, 3}, x), tensor_of(type, {2}, y)};
  const std::vector<double> lifted = doubles(run_lifted(op, 1, kAlongFirst, inputs)[0].tensor());
  EXPECT_EQ(lifted, doubles(run(op, 1, kAlongFirst, inputs)[0].tensor())) << op.name;
  return lifted;
}

TEST(SharedSteps, AxisPlacesTheSecondInput) {
  const std::vector<double> x = {1, 2, 3, 4, 5, 6}, y = {2, 5};
  EXPECT_EQ(along_first(ops::Greater, DataType::Float, x, y), (std::vector<double>{0, 0, 1, 0, 0, 1}));
  EXPECT_EQ(along_first(ops::Less, DataType::Float, x, y), (std::vector<double>{1, 0, 0, 1, 0, 0}));
  EXPECT_EQ(along_first(ops::Equal, DataType::Int32, x, y), (std::vector<double>{0, 1, 0, 0, 1, 0}));
  EXPECT_EQ(along_first(ops::Add, DataType::Float, x, y), (std::vector<double>{3, 4, 5, 9, 10, 11}));
  EXPECT_EQ(along_first(ops::Pow, DataType::Double, x, {2, 1}), (std::vector<double>{1, 4, 9, 4, 5, 6}));
  const std::vector<double> p = {0, 1, 0, 1, 0, 1};
  EXPECT_EQ(along_first(ops::And, DataType::Bool, p, {0, 1}), (std::vector<double>{0, 0, 0, 1, 0, 1}));
  EXPECT_EQ(along_first(ops::Or, DataType::Bool, p, {0, 1}), (std::vector<double>{0, 1, 0, 1, 1, 1}));
  EXPECT_EQ(along_first(ops::Xor, DataType::Bool, p, {0, 1}), (std::vector<double>{0, 1, 0, 0, 1, 0}));
}

TEST(SharedSteps, OnlyARunOfTheFirstInputGoesDown) {
  const Tensor x = tensor_of(DataType::Float, {2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor column = tensor_of(DataType::Float, {2, 1}, {2, 5});
  for (const opset::Operator* op : {&ops::Greater, &ops::Less, &ops::Pow, &ops::Sub}) {
    SCOPED_TRACE(op->name);
    EXPECT_EQ(doubles(run_moved(*op, 7, 1, {}, {x, column})[0].tensor()),
              doubles(run(*op, 7, {}, {x, column})[0].tensor()));
    EXPECT_THROW(run_moved(*op, 7, 1, {}, {column, x}), Error) << "the first input would be stretched";
  }
}

}  // namespace
}  // namespace norn::transform
