#include "ops/math/unary_trig/unary_trig.h"

#include <cmath>
#include <limits>

#include "norn/error.h"
#include "ops/common/elements.h"
#include "ops/common/slice_test.h"

namespace norn::ops::test {
namespace {

TEST(UnaryTrig, Identities) {
  const Tensor x = tensor<double>({5}, {-0.9, -0.25, 0.0, 0.5, 0.75});
  const auto get = [&](const opset::Operator& op, const Tensor& of) {
    return run_and_check(op, 22, {}, {of})[0].tensor();
  };
  const auto same = [&](const Tensor& a, const Tensor& b) {
    for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(doubles(a)[i], doubles(b)[i], 1e-14);
  };
  same(get(Asin, get(Sin, x)), x);
  same(get(Atan, get(Tan, x)), x);
  same(get(Asinh, get(Sinh, x)), x);
  same(get(Tan, get(Atan, x)), x);
  same(get(Sin, get(Asin, x)), x);
  same(get(Cos, get(Acos, x)), x);
  for (std::size_t i = 0; i < 5; ++i) {
    const double v = doubles(x)[i];
    EXPECT_NEAR(doubles(get(Cos, x))[i], 1 - 2 * std::pow(std::sin(v / 2), 2), 1e-15);
    EXPECT_NEAR(doubles(get(Cosh, x))[i], (std::exp(v) + std::exp(-v)) / 2, 1e-15);
    EXPECT_NEAR(doubles(get(Acosh, get(Cosh, x)))[i], std::fabs(v), 1e-14);
    EXPECT_NEAR(doubles(get(Atanh, x))[i], std::log((1 + v) / (1 - v)) / 2, 1e-14);
  }
  EXPECT_TRUE(std::isnan(doubles(run(Acosh, 9, {}, {tensor<float>({1}, {0.5f})})[0].tensor())[0]));
  EXPECT_EQ(get(Sin, tensor_of(DataType::BFloat16, {1, 0}, {})).dims(), (Shape{1, 0}));
}

}  // namespace
}  // namespace norn::ops::test
