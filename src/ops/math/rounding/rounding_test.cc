// Ceil, Floor and Round against what they are defined by: the integers next to a number.
#include "ops/math/rounding/rounding.h"

#include <cmath>
#include <limits>

#include "ops/common/slice_test.h"
#include "transform/version_step.h"

namespace norn::ops {
namespace {

using namespace test;

const double kInf = std::numeric_limits<double>::infinity();
const std::vector<double> kValues = {-2.5, -2,  -1.5, -1.25, -0.5, -0.25, -0.0, 0,
                                     0.25, 0.5, 0.75, 1.5,   2.5,  3,     96,   kInf};
constexpr DataType kTypes[] = {DataType::Float16, DataType::BFloat16, DataType::Float, DataType::Double};

TEST(Rounding, NextIntegersOfEveryType) {
  for (const DataType type : kTypes) {
    SCOPED_TRACE(data_type_name(type));
    const Tensor x = tensor_of(type, {4, 4}, kValues);
    const auto up = doubles(run_and_check(Ceil, 13, {}, {x})[0].tensor());
    const auto down = doubles(run_and_check(Floor, 13, {}, {x})[0].tensor());
    const auto near = doubles(run_and_check(Round, 22, {}, {x})[0].tensor());
    for (std::size_t i = 0; i < kValues.size(); ++i) {
      SCOPED_TRACE(kValues[i]);
      const double v = kValues[i];
      if (std::isinf(v)) {
        EXPECT_TRUE(up[i] == v && down[i] == v && near[i] == v);
        continue;
      }
      EXPECT_TRUE(up[i] >= v && up[i] - v < 1 && std::fmod(up[i], 1) == 0);
      EXPECT_TRUE(down[i] <= v && v - down[i] < 1 && std::fmod(down[i], 1) == 0);
      EXPECT_TRUE(std::fmod(near[i], 1) == 0 && std::fabs(near[i] - v) <= 0.5);
      EXPECT_TRUE(std::fabs(near[i] - v) < 0.5 || std::fmod(near[i], 2) == 0) << "halves go to the even integer";
      EXPECT_EQ(std::signbit(near[i]), std::signbit(v)) << "zero keeps the sign";
    }
  }
}

TEST(Rounding, NotANumberAndNothing) {
  for (const opset::Operator* op : {&Ceil, &Floor, &Round}) {
    SCOPED_TRACE(op->name);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(
        std::isnan(doubles(run_and_check(*op, 22, {}, {tensor_of(DataType::Float, {1}, {nan})})[0].tensor())[0]));
    EXPECT_EQ(run_and_check(*op, 22, {}, {tensor_of(DataType::Double, {0, 2}, {})})[0].tensor().size(), 0);
  }
}

TEST(Rounding, FirstVersionIsLifted) {
  const Tensor x = tensor_of(DataType::Float, {2}, {0.5, -1.5});
  const Attributes attrs = {transform::make_attr("consumed_inputs", std::vector<std::int64_t>{0})};
  EXPECT_EQ(doubles(run_lifted(Ceil, 1, attrs, {x})[0].tensor()), (std::vector<double>{1, -1}));
  EXPECT_EQ(doubles(run_lifted(Floor, 1, attrs, {x})[0].tensor()), (std::vector<double>{0, -2}));
}

}  // namespace
}  // namespace norn::ops
