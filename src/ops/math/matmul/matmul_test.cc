#include "ops/math/matmul/matmul.h"

#include <limits>

#include "norn/error.h"
#include "ops/common/slice_test.h"

namespace norn::ops {
namespace {

using namespace test;
using Doubles = std::vector<double>;

TEST(MatMul, EveryType) {
  for (DataType t : {DataType::Float16, DataType::BFloat16, DataType::Float, DataType::Double, DataType::Int32,
                     DataType::Int64, DataType::Uint32, DataType::Uint64}) {
    SCOPED_TRACE(data_type_name(t));
    const Tensor a = tensor_of(t, {2, 3}, {1, 2, 3, 4, 5, 6}), b = tensor_of(t, {3, 2}, {1, 2, 3, 4, 5, 6});
    EXPECT_EQ(doubles(run_and_check(MatMul, 13, {}, {a, b})[0].tensor()), (Doubles{22, 28, 49, 64}));
  }
}

TEST(MatMul, VectorsLoseTheirDimension) {
  const Tensor m = tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}), v3 = tensor<float>({3}, {1, 0, 2}),
               v2 = tensor<float>({2}, {1, -1});
  const Tensor right = run_and_check(MatMul, 13, {}, {m, v3})[0].tensor();
  EXPECT_EQ(right.dims(), (Shape{2}));
  EXPECT_EQ(doubles(right), (Doubles{7, 16}));
  const Tensor left = run_and_check(MatMul, 13, {}, {v2, m})[0].tensor();
  EXPECT_EQ(left.dims(), (Shape{3}));
  EXPECT_EQ(doubles(left), (Doubles{-3, -3, -3}));
  const Tensor dot = run_and_check(MatMul, 13, {}, {v3, v3})[0].tensor();
  EXPECT_EQ(dot.dims(), Shape{});
  EXPECT_EQ(doubles(dot), Doubles{5});
  const Tensor stack = tensor<float>({2, 2, 3}, {1, 2, 3, 4, 5, 6, 0, 0, 1, 0, 1, 0});
  EXPECT_EQ(run_and_check(MatMul, 13, {}, {v2, stack})[0].tensor().dims(), (Shape{2, 3}));
  EXPECT_EQ(doubles(run_and_check(MatMul, 13, {}, {stack, v3})[0].tensor()), (Doubles{7, 16, 2, 0}));
}

TEST(MatMul, BatchesBroadcast) {
  const Tensor a = random_tensor(DataType::Double, {3, 1, 2, 4}, 1), b = random_tensor(DataType::Double, {5, 4, 3}, 2);
  const Tensor y = run_and_check(MatMul, 13, {}, {a, b})[0].tensor();
  ASSERT_EQ(y.dims(), (Shape{3, 5, 2, 3}));
  const auto av = doubles(a), bv = doubles(b), yv = doubles(y);
  for (std::size_t p = 0; p < 3; ++p)
    for (std::size_t q = 0; q < 5; ++q)
      for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
          double sum = 0;
          for (std::size_t k = 0; k < 4; ++k) sum += av[p * 8 + i * 4 + k] * bv[q * 12 + k * 3 + j];
          EXPECT_NEAR(yv[((p * 5 + q) * 2 + i) * 3 + j], sum, 1e-13);
        }
}

TEST(MatMul, IntegersWrap) {
  const Tensor big = tensor<std::int64_t>({1, 2}, {INT64_MAX, 1}), column = tensor<std::int64_t>({2, 1}, {2, 3});
  EXPECT_EQ(run(MatMul, 13, {}, {big, column})[0].tensor().as<std::int64_t>()[0], 1);
  const Tensor narrow = tensor<std::int32_t>({1, 1}, {1 << 30});
  EXPECT_EQ(run(MatMul, 13, {}, {narrow, tensor<std::int32_t>({1, 1}, {4})})[0].tensor().as<std::int32_t>()[0], 0);
}

TEST(MatMul, EmptySums) {
  const Tensor y =
      run_and_check(MatMul, 13, {}, {Tensor(DataType::Float, {2, 0}), Tensor(DataType::Float, {0, 2})})[0].tensor();
  EXPECT_EQ(doubles(y), (Doubles{0, 0, 0, 0}));
  EXPECT_EQ(run_and_check(MatMul, 13, {}, {Tensor(DataType::Float, {0, 2, 3}), Tensor(DataType::Float, {3, 4})})[0]
                .tensor()
                .dims(),
            (Shape{0, 2, 4}));
}

TEST(MatMul, InfersAndRefuses) {
  EXPECT_EQ(infer(MatMul, 13, {}, {type("float[B,S,H]"), type("float[H,64]")}).types[0].to_string(), "float[B,S,64]");
  EXPECT_FALSE(infer(MatMul, 13, {}, {type("float[B,S,H]"), type("float")}).types[0].has_rank());
  EXPECT_THROW(infer(MatMul, 13, {}, {type("float[2,3]"), type("float[4,5]")}), Error);
  EXPECT_THROW(infer(MatMul, 13, {}, {type("float[]"), type("float[4,5]")}), Error);
  EXPECT_THROW(run(MatMul, 13, {}, {tensor<float>({2}, {1, 2}), tensor<float>({3}, {1, 2, 3})}), Error);
  EXPECT_THROW(run(MatMul, 13, {}, {tensor<float>({}, {1}), tensor<float>({1}, {1})}), Error);
}

}  // namespace
}  // namespace norn::ops
