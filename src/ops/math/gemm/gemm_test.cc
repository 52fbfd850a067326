#include "ops/math/gemm/gemm.h"

#include <cmath>

#include "norn/error.h"
#include "ops/common/slice_test.h"

namespace norn::ops {
namespace {

using namespace test;
using Doubles = std::vector<double>;
using transform::make_attr;

TEST(Gemm, EveryType) {
  for (DataType t : {DataType::Float16, DataType::BFloat16, DataType::Float, DataType::Double, DataType::Int32,
                     DataType::Int64, DataType::Uint32, DataType::Uint64}) {
    SCOPED_TRACE(data_type_name(t));
    const Tensor a = tensor_of(t, {2, 3}, {1, 2, 3, 4, 5, 6}), b = tensor_of(t, {3, 2}, {1, 2, 3, 4, 5, 6});
    EXPECT_EQ(doubles(run_and_check(Gemm, 13, {}, {a, b})[0].tensor()), (Doubles{22, 28, 49, 64}));
    const Attributes attrs = {make_attr("alpha", 2.0f), make_attr("beta", 3.0f)};
    EXPECT_EQ(doubles(run_and_check(Gemm, 13, attrs, {a, b, tensor_of(t, {2}, {1, 2})})[0].tensor()),
              (Doubles{47, 62, 101, 134}));
  }
}

TEST(Gemm, TransposesAndBroadcastsC) {
  const Tensor a = random_tensor(DataType::Double, {4, 3}, 1), b = random_tensor(DataType::Double, {5, 4}, 2);
  for (const Shape& c_dims : {Shape{}, Shape{1}, Shape{5}, Shape{3, 1}, Shape{1, 5}, Shape{3, 5}}) {
    const Tensor c = random_tensor(DataType::Double, c_dims, 3);
    const Attributes attrs = {make_attr("transA", std::int64_t{1}), make_attr("transB", std::int64_t{1}),
                              make_attr("alpha", 0.5f), make_attr("beta", -2.0f)};
    const Tensor y = run_and_check(Gemm, 13, attrs, {a, b, c})[0].tensor();
    ASSERT_EQ(y.dims(), (Shape{3, 5}));
    const auto av = doubles(a), bv = doubles(b), cv = doubles(c), yv = doubles(y);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 5; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < 4; ++k) sum += av[k * 3 + i] * bv[j * 4 + k];
        const std::size_t rows = c_dims.size() == 2 ? static_cast<std::size_t>(c_dims[0]) : 1,
                          columns = cv.size() / rows;
        const double added = cv[(rows == 1 ? 0 : i) * columns + (columns == 1 ? 0 : j)];
        EXPECT_NEAR(yv[i * 5 + j], 0.5 * sum - 2 * added, 1e-13);
      }
    }
  }
}

TEST(Gemm, IntegersWrapOrTruncate) {
  const Tensor a = tensor<std::int32_t>({1, 1}, {1 << 30}), two = tensor<std::int32_t>({1, 1}, {2});
  EXPECT_EQ(run(Gemm, 13, {}, {a, two})[0].tensor().as<std::int32_t>()[0], INT32_MIN);
  const Tensor three = tensor<std::int32_t>({1, 1}, {-3}), one = tensor<std::int32_t>({1, 1}, {1});
  EXPECT_EQ(run(Gemm, 13, {make_attr("alpha", 0.5f)}, {three, one})[0].tensor().as<std::int32_t>()[0], -1);
}

TEST(Gemm, BetaZeroLeavesCUnread) {
  const Tensor one = tensor<float>({1, 1}, {1}), nan = tensor<float>({1}, {NAN});
  EXPECT_EQ(doubles(run(Gemm, 13, {make_attr("beta", 0.0f)}, {one, one, nan})[0].tensor()), Doubles{1});
  EXPECT_TRUE(std::isnan(doubles(run(Gemm, 13, {}, {one, one, nan})[0].tensor())[0]));
}

TEST(Gemm, EmptyTensors) {
  const Tensor y =
      run_and_check(Gemm, 13, {},
                    {Tensor(DataType::Float, {2, 0}), Tensor(DataType::Float, {0, 2}), tensor<float>({2}, {1, 2})})[0]
          .tensor();
  EXPECT_EQ(doubles(y), (Doubles{1, 2, 1, 2}));
  EXPECT_EQ(run_and_check(Gemm, 13, {}, {Tensor(DataType::Float, {0, 3}), Tensor(DataType::Float, {3, 2})})[0]
                .tensor()
                .dims(),
            (Shape{0, 2}));
}

TEST(Gemm, InfersAndRefuses) {
  EXPECT_EQ(infer(Gemm, 13, {make_attr("transB", std::int64_t{1})}, {type("float[N,K]"), type("float[10,K]")})
                .types[0]
                .to_string(),
            "float[N,10]");
  EXPECT_THROW(infer(Gemm, 13, {}, {type("float[2,3]"), type("float[4,5]")}), Error);
  EXPECT_THROW(infer(Gemm, 13, {}, {type("float[2,3,1]"), type("float[4,5]")}), Error);
  EXPECT_THROW(infer(Gemm, 13, {}, {type("float[2,3]"), type("float[3,5]"), type("float[4]")}), Error);
  EXPECT_THROW(infer(Gemm, 6, {}, {type("float[2,3]"), type("float[3,5]"), type("float[5]")}), Error);
  EXPECT_NO_THROW(infer(Gemm, 6, {make_attr("broadcast", std::int64_t{1})},
                        {type("float[2,3]"), type("float[3,5]"), type("float[5]")}));
  const Tensor a = tensor<float>({1, 2}, {1, 2});
  EXPECT_THROW(run(Gemm, 13, {}, {a, a}), Error);
  EXPECT_THROW(run(Gemm, 13, {make_attr("transB", std::int64_t{1})}, {a, a, tensor<float>({2, 1}, {1, 2})}), Error);
}

TEST(Gemm, OldVersions) {
  const Tensor a = tensor<float>({2, 1}, {1, 2}), b = tensor<float>({1, 2}, {3, 4}), c = tensor<float>({2}, {10, 20});
  const Doubles expected = {13, 24, 16, 28};
  for (int version : {1, 6}) {
    EXPECT_EQ(doubles(run_lifted(Gemm, version, {make_attr("broadcast", std::int64_t{1})}, {a, b, c})[0].tensor()),
              expected);
    EXPECT_EQ(doubles(run_moved(Gemm, 13, version, {}, {a, b, c})[0].tensor()), expected);
    EXPECT_EQ(doubles(run_moved(Gemm, 13, version, {}, {a, b})[0].tensor()), (Doubles{3, 4, 6, 8}));
  }
  EXPECT_THROW(run_moved(Gemm, 13, 7, {}, {tensor<std::int32_t>({1, 1}, {1}), tensor<std::int32_t>({1, 1}, {1})}),
               Error);
}

}  // namespace
}  // namespace norn::ops
