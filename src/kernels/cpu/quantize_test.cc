// Quantising against its formula in double, with every kind of run and element.
#include "kernels/cpu/quantize.h"

#include <limits>

#include "kernels/cpu/kernel_test.h"

namespace norn::kernels {
namespace {

using namespace test;

template <class T>
void check(DataType type) {
  const float inf = std::numeric_limits<float>::infinity();
  for (const QuantizeConfig& c :
       {QuantizeConfig{type, 1, 1, 10007}, {type, 1, 1, 3}, {type, 3, 5, 41}, {type, 2, 1, 8}}) {
    const auto size = static_cast<std::size_t>(c.outer * c.n * c.inner);
    auto x = random_floats(c.outer * c.n * c.inner, 5, -40, 40);
    x[0] = std::nanf("");
    if (size > 30) {
      x[1] = inf, x[2] = -inf, x[3] = 0.25f, x[4] = 0.75f, x[5] = 3e38f;  // 0.25 and 0.75 are halves of scale 0.5
      x[size - 1] = std::nanf("");
    }
    std::vector<float> scales = random_floats(c.n, 6, 0.1f, 0.3f);
    scales[0] = 0.5f;
    std::vector<T> zeros(static_cast<std::size_t>(c.n), T{3});
    Constants constants;
    ASSERT_EQ(quantize_candidates()[0].refuses(c), "");
    const auto got = run_at_widths(*quantize_candidates()[0].make(c, constants),
                                   {x.data(), scales.data(), zeros.data()}, std::vector<T>(size));
    std::vector<float> back_want;
    for (std::size_t i = 0; i < size; ++i) {
      const float scale = scales[i / static_cast<std::size_t>(c.inner) % static_cast<std::size_t>(c.n)];
      const double low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
      const double quotient = std::nearbyint(x[i] / scale) + 3;
      const double want = std::isnan(quotient) ? low : std::min(high, std::max(low, quotient));
      ASSERT_EQ(got[i], want) << x[i] << " by " << scale;
      back_want.push_back(static_cast<float>(got[i] - 3) * scale);
    }
    const auto back =
        run_at_widths(*dequantize_candidates()[0].make(c, constants),
                      {const_cast<T*>(got.data()), scales.data(), zeros.data()}, std::vector<float>(size));
    EXPECT_EQ(back, back_want);
  }
}

// The least integer, whatever the zero point and the sign of NaN.
template <class T>
void check_nan(DataType type) {
  using L = std::numeric_limits<T>;
  for (const int zero : {int{L::min()}, std::max<int>(L::min(), -1), 0, 3, int{L::max()}}) {
    std::vector<float> x(40, std::nanf(""));
    for (std::size_t i = 0; i < x.size(); i += 2) x[i] = std::copysign(x[i], -1.0f);
    float scale = 1;
    T point = static_cast<T>(zero);
    Constants constants;
    const QuantizeConfig config{type, 1, 1, 40};
    const auto got = run_at_widths(*quantize_candidates()[0].make(config, constants), {x.data(), &scale, &point},
                                   std::vector<T>(x.size()));
    for (const T v : got) ASSERT_EQ(v, L::min()) << "zero point " << zero;
  }
}

TEST(Quantize, NaN) {
  check_nan<std::uint8_t>(DataType::Uint8);
  check_nan<std::int8_t>(DataType::Int8);
}

TEST(Quantize, RunsOfOneScale) {
  check<std::uint8_t>(DataType::Uint8);
  check<std::int8_t>(DataType::Int8);
  EXPECT_NE(quantize_candidates()[0].refuses({DataType::Int16, 1, 1, 8}), "");
  EXPECT_NE(quantize_candidates()[0].refuses({DataType::Int8, 8, 4, 1}), "");
}

}  // namespace
}  // namespace norn::kernels
