#include "ops/math/unary_log/unary_log.h"

#include <cmath>
#include <limits>

#include "norn/error.h"
#include "ops/common/elements.h"
#include "ops/common/slice_test.h"

namespace norn::ops::test {
namespace {

TEST(UnaryLog, EveryType) {
  for (const DataType t : {DataType::Float, DataType::Double, DataType::Float16, DataType::BFloat16}) {
    SCOPED_TRACE(data_type_name(t));
    const Tensor x = tensor_of(t, {4}, {1, 4, 0.5, 0.25});
    const auto logs = doubles(run_and_check(Log, 13, {}, {x})[0].tensor());
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(logs[i], std::log2(doubles(x)[i]) * M_LN2, 1e-2);
    EXPECT_EQ(doubles(run_and_check(Reciprocal, 13, {}, {x})[0].tensor()), (std::vector<double>{1, 0.25, 2, 4}));
    EXPECT_EQ(doubles(run_and_check(Sign, 13, {}, {tensor_of(t, {3}, {-2, 0, 7})})[0].tensor()),
              (std::vector<double>{-1, 0, 1}));
  }
  const auto odd = tensor<double>({4}, {NAN, -1, 0, INFINITY});
  const auto logs = doubles(run(Log, 13, {}, {odd})[0].tensor());
  EXPECT_TRUE(std::isnan(logs[0]) && std::isnan(logs[1]));
  EXPECT_EQ(logs[2], -INFINITY);
  EXPECT_TRUE(std::isnan(doubles(run(Sign, 13, {}, {odd})[0].tensor())[0]));
  EXPECT_EQ(doubles(run(Sign, 9, {}, {tensor<std::int8_t>({3}, {-128, 0, 1})})[0].tensor()),
            (std::vector<double>{-1, 0, 1}));
  EXPECT_EQ(doubles(run(Sign, 9, {}, {tensor<std::uint64_t>({2}, {UINT64_MAX, 0})})[0].tensor()),
            (std::vector<double>{1, 0}));
}

}  // namespace
}  // namespace norn::ops::test
