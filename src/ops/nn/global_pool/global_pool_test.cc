#include "ops/nn/global_pool/global_pool.h"

#include <cmath>

#include "norn/error.h"
#include "ops/common/slice_test.h"

namespace norn::ops {
namespace {

using namespace test;
using Doubles = std::vector<double>;

TEST(GlobalPool, EveryType) {
  for (DataType t : {DataType::Float16, DataType::BFloat16, DataType::Float, DataType::Double}) {
    SCOPED_TRACE(data_type_name(t));
    const Tensor x = tensor_of(t, {1, 2, 2, 2}, {1, 2, 3, 6, -4, -3, -2, -1});
    const Tensor mean = run_and_check(GlobalAveragePool, 22, {}, {x})[0].tensor();
    EXPECT_EQ(mean.dims(), (Shape{1, 2, 1, 1}));
    EXPECT_EQ(doubles(mean), (Doubles{3, -2.5}));
    EXPECT_EQ(doubles(run_and_check(GlobalMaxPool, 22, {}, {x})[0].tensor()), (Doubles{6, -1}));
  }
}

TEST(GlobalPool, OddSizes) {
  EXPECT_EQ(doubles(run_and_check(GlobalMaxPool, 1, {}, {tensor<float>({2, 1}, {4, 5})})[0].tensor()), (Doubles{4, 5}));
  EXPECT_TRUE(std::isnan(doubles(run(GlobalAveragePool, 22, {}, {Tensor(DataType::Float, {1, 1, 0})})[0].tensor())[0]));
  EXPECT_EQ(doubles(run(GlobalMaxPool, 22, {}, {Tensor(DataType::Float, {1, 1, 0})})[0].tensor()), Doubles{-INFINITY});
  EXPECT_TRUE(std::isnan(doubles(run(GlobalMaxPool, 22, {}, {tensor<float>({1, 1, 3}, {1, NAN, 2})})[0].tensor())[0]));
  EXPECT_EQ(run_and_check(GlobalMaxPool, 22, {}, {Tensor(DataType::Float, {0, 3, 2, 2})})[0].tensor().dims(),
            (Shape{0, 3, 1, 1}));
  EXPECT_THROW(run(GlobalMaxPool, 22, {}, {tensor<float>({2}, {4, 5})}), Error);
  EXPECT_EQ(infer(GlobalMaxPool, 22, {}, {type("float[N,C,H,W]")}).types[0].to_string(), "float[N,C,1,1]");
}

}  // namespace
}  // namespace norn::ops
