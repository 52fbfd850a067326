#include "ops/math/rounding/rounding.h"

#include <cmath>
#include <limits>

#include "norn/error.h"
#include "ops/common/elements.h"
#include "ops/common/slice_test.h"

namespace norn::ops::test {
namespace {

TEST(Rounding, EveryType) {
  const double inf = INFINITY;
  for (const DataType t : {DataType::Float, DataType::Double, DataType::Float16, DataType::BFloat16}) {
    SCOPED_TRACE(data_type_name(t));
    const Tensor x = tensor_of(t, {7}, {-1.5, -0.25, 0.5, 1.5, 2.5, inf, -inf});
    const auto get = [&](const opset::Operator& op) { return doubles(run_and_check(op, 22, {}, {x})[0].tensor()); };
    EXPECT_EQ(get(Ceil), (std::vector<double>{-1, 0, 1, 2, 3, inf, -inf}));
    EXPECT_EQ(get(Floor), (std::vector<double>{-2, -1, 0, 1, 2, inf, -inf}));
    EXPECT_EQ(get(Round), (std::vector<double>{-2, 0, 0, 2, 2, inf, -inf}));
    EXPECT_TRUE(std::signbit(get(Round)[1]));
  }
  EXPECT_TRUE(std::isnan(doubles(run(Round, 11, {}, {tensor<float>({}, {NAN})})[0].tensor())[0]));
  const Attributes old = {transform::make_attr("consumed_inputs", std::vector<std::int64_t>{0})};
  EXPECT_EQ(doubles(run_lifted(Ceil, 1, old, {tensor<float>({1}, {0.5f})})[0].tensor()), std::vector<double>{1});
}

}  // namespace
}  // namespace norn::ops::test
