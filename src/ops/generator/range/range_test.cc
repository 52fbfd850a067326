#include "ops/generator/range/range.h"

#include <cmath>
#include <limits>

#include "norn/error.h"
#include "ops/common/elements.h"
#include "ops/common/slice_test.h"

namespace norn::ops::test {
inline namespace range_test_cc {
namespace {

template <class T>
Tensor range(T start, T limit, T delta, int opset = 27) {
  return run_and_check(Range, opset, {}, {tensor<T>({}, {start}), tensor<T>({}, {limit}), tensor<T>({}, {delta})})[0]
      .tensor();
}

TEST(Range, Numbers) {
  EXPECT_EQ(doubles(range<std::int64_t>(3, 9, 3)), (std::vector<double>{3, 6}));
  EXPECT_EQ(doubles(range<std::int64_t>(10, 4, -2)), (std::vector<double>{10, 8, 6}));
  std::vector<double> many;
  for (int i = 0; i < 1203; ++i) many.push_back(3 * i - 500);
  EXPECT_EQ(doubles(range<std::int64_t>(-500, -500 + 3 * 1203, 3)), many);
  EXPECT_EQ(doubles(range<std::int32_t>(-500, -500 + 3 * 1203, 3)), many);
  EXPECT_EQ(doubles(range<float>(-500, -500 + 3 * 1203, 3)), many);
  EXPECT_EQ(doubles(range<std::int32_t>(5, 1, 2)), std::vector<double>{});
  EXPECT_EQ(doubles(range<std::int16_t>(-1, 2, 1, 11)), (std::vector<double>{-1, 0, 1}));
  EXPECT_EQ(doubles(range<float>(0.5f, 2.0f, 0.5f, 11)), (std::vector<double>{0.5, 1, 1.5}));
  EXPECT_EQ(range<std::int64_t>(INT64_MIN, INT64_MAX, INT64_MAX).dims(), Shape{3});
  EXPECT_THROW(range<std::int64_t>(0, 1, 0), Error);
  EXPECT_THROW(range<double>(0, INFINITY, 1), Error);
  EXPECT_THROW(range<float>(0, NAN, 1), Error);
  // Each is rounded once: 2049 has no place among 16-bit floats, 2050 has.
  const auto zero = tensor_of(DataType::Float16, {}, {0}), most = tensor_of(DataType::Float16, {}, {2052}),
             one = tensor_of(DataType::Float16, {}, {1});
  const auto halves = doubles(run_and_check(Range, 27, {}, {zero, most, one})[0].tensor());
  EXPECT_EQ(halves[2050], 2050);
  EXPECT_EQ(halves[2051], 2052);
}

TEST(Range, InfersExpressions) {
  const auto one = tensor<std::int64_t>({}, {1}), zero = tensor<std::int64_t>({}, {0});
  const auto inferred = infer(Range, 11, {}, {type("int64[]"), type("int64[]"), type("int64[]")},
                              {zero, tensor<std::int64_t>({}, {5}), one});
  EXPECT_EQ(inferred.types[0].to_string(), "int64[5]");
  ASSERT_TRUE(inferred.values[0].ints);
  EXPECT_EQ(*inferred.values[0].ints, (opset::Dims{0, 1, 2, 3, 4}));
  const auto five = tensor<std::int64_t>({1}, {5});  // one element, but no scalar
  EXPECT_EQ(infer(Range, 11, {}, {type("int64[]"), type("int64[1]"), type("int64[N]")}, {zero, five, {}})
                .types[0]
                .to_string(),
            "int64[?0]");
  EXPECT_EQ(run_and_check(Range, 11, {}, {zero, five, one})[0].tensor().size(), 5);
  for (const Tensor& many :
       {tensor<std::int64_t>({0}, {}), tensor<std::int64_t>({2}, {1, 2}), tensor<std::int64_t>({1, 1}, {5})}) {
    EXPECT_THROW(run(Range, 11, {}, {zero, many, one}), Error);
  }
  EXPECT_THROW(infer(Range, 11, {}, {type("int64[2]"), type("int64[]"), type("int64[]")}), Error);
  EXPECT_THROW(infer(Range, 11, {}, {type("int64[1,1]"), type("int64[]"), type("int64[]")}), Error);
  EXPECT_THROW(infer(Range, 11, {}, {type("int64[]"), type("int64[]"), type("int64[]")}, {{}, {}, zero}), Error);
  EXPECT_THROW(
      infer(Range, 11, {}, {type("float[]"), type("float[]"), type("float[]")}, {{}, {}, tensor<float>({}, {0})}),
      Error);
}

}  // namespace
}  // namespace range_test_cc
}  // namespace norn::ops::test
