// Quantising against its formula in double, with every kind of run and element.
#include "kernels/cpu/quantize.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/number.h"
#include "kernels/cpu/kernel_test.h"

namespace norn::kernels {
namespace {

using namespace test;

template <class T>
void check(DataType type) {
  const float inf = std::numeric_limits<float>::infinity();
  for (const QuantizeConfig& c :
       {QuantizeConfig{type, 1, 1, 10007}, {type, 1, 1, 3}, {type, 3, 5, 57}, {type, 2, 1, 8}, {type, 2, 1, 70003}}) {
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

// Half types: the quotient is rounded to them before it is rounded to an integer.
TEST(Quantize, Halves) {
  const auto half = [](DataType type, float v) {
    if (type == DataType::Float16) return base::half_to_float(base::float_to_half(v));
    const auto bits = std::bit_cast<std::uint32_t>(v);
    return std::bit_cast<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u);
  };
  const auto store = [](DataType type, float v) {
    return type == DataType::Float16 ? base::float_to_half(v)
                                     : static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(v) >> 16);
  };
  for (const DataType type : {DataType::Float16, DataType::BFloat16})
    for (const QuantizeConfig& c :
         {QuantizeConfig{DataType::Int8, 1, 1, 5003, type}, {DataType::Int8, 2, 3, 57, type}}) {
      const std::int64_t n = c.outer * c.n * c.inner;
      std::vector<std::uint16_t> x, scales;
      std::vector<float> wide = random_floats(n, 8, -40, 40), wide_scales = random_floats(c.n, 9, 0.2f, 0.4f);
      for (float& v : wide) x.push_back(store(type, v = half(type, v)));
      for (float& v : wide_scales) scales.push_back(store(type, v = half(type, v)));
      std::vector<std::int8_t> zeros(static_cast<std::size_t>(c.n), -7);
      Constants constants;
      ASSERT_EQ(quantize_candidates()[0].refuses(c), "");
      const auto got = run_at_widths(*quantize_candidates()[0].make(c, constants),
                                     {x.data(), scales.data(), zeros.data()}, std::vector<std::int8_t>(wide.size()));
      const auto back = run_at_widths(*dequantize_candidates()[0].make(c, constants),
                                      {const_cast<std::int8_t*>(got.data()), scales.data(), zeros.data()},
                                      std::vector<std::uint16_t>(wide.size()));
      for (std::size_t i = 0; i < wide.size(); ++i) {
        const float scale = wide_scales[i / static_cast<std::size_t>(c.inner) % static_cast<std::size_t>(c.n)];
        const double quotient = static_cast<double>(wide[i]) / static_cast<double>(scale);
        const double want = std::nearbyint(half(type, static_cast<float>(quotient))) - 7;
        ASSERT_EQ(got[i], std::min(127.0, std::max(-128.0, want))) << wide[i] << " by " << scale;
        ASSERT_EQ(back[i], store(type, half(type, static_cast<float>(got[i] + 7) * scale)));
      }
    }
}

// Which scale an element has, counted out one by one.
template <class T>
void check_blocks(DataType type) {
  const std::int64_t L = 1 << 30;
  for (const BlockQuantizeConfig& c : {BlockQuantizeConfig{type, 1, 1, 5001, L, 0, 0, 0},
                                       {type, 3, 40, 1, 1, 0, 1, 0},
                                       {type, 3, 5, 41, 1, 0, 1, 0},
                                       {type, 3, 70, 1, 32, 3, 1, 1},
                                       {type, 2, 10, 50, 4, 150, 50, 1},
                                       {type, 71, 13, 2, 128, 2, 2, 1},
                                       {type, 5, 9, 3, 4, 9, 3, 1},
                                       {type, 40, 33, 4, 16, 12, 4, 1},
                                       {type, 3, 64, 2, 16, 8, 2, 1},
                                       {type, 1, 300, 7, 32, 70, 7, 1},
                                       {type, 150, 13, 1, 32, 1, 1, 1},
                                       {type, 300, 2, 9, 1, 0, 1, 0},
                                       {type, 300, 1, 5, 1, 0, 0, 1},
                                       {type, 2, 700, 3, 1, 0, 1, 0},
                                       {type, 60, 1, 23, 1, 23, 23, 1},
                                       {type, 9, 640, 1, 16, 40, 1, 1}}) {
    std::int64_t most = 0, e = 0;
    std::vector<std::size_t> which;
    for (std::int64_t o = 0; o < c.outer; ++o)
      for (std::int64_t k = 0; k < c.n; ++k)
        for (std::int64_t i = 0; i < c.inner; ++i, ++e) {
          const std::int64_t at = o * c.outer_step + k / c.block * c.step + i * c.inner_step;
          most = std::max(most, at);
          which.push_back(static_cast<std::size_t>(at));
        }
    auto x = random_floats(e, 5, -9000, 9000);
    x[0] = std::nanf("");
    auto scales = random_floats(most + 1, 6, 0.1f, 300.0f);
    std::vector<T> zeros;
    for (std::int64_t i = 0; i <= most; ++i) zeros.push_back(static_cast<T>(i % 7));
    Constants constants;
    for (const bool moved : {true, false}) {
      ASSERT_EQ(block_quantize_candidates()[0].refuses(c), "");
      void* const points = moved ? zeros.data() : nullptr;
      const auto got = run_at_widths(*block_quantize_candidates()[0].make(c, constants),
                                     {x.data(), scales.data(), points}, std::vector<T>(x.size()));
      std::vector<float> want_back;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
        const int zero = moved ? zeros[which[i]] : 0;
        const double quotient = std::nearbyint(x[i] / scales[which[i]]) + zero;
        ASSERT_EQ(got[i], std::isnan(quotient) ? low : std::min(high, std::max(low, quotient))) << i;
        want_back.push_back(static_cast<float>(got[i] - zero) * scales[which[i]]);
      }
      ASSERT_EQ(block_dequantize_candidates()[0].refuses(c), "");
      EXPECT_EQ(run_at_widths(*block_dequantize_candidates()[0].make(c, constants),
                              {const_cast<T*>(got.data()), scales.data(), points}, std::vector<float>(x.size())),
                want_back);
    }
  }
}

TEST(Quantize, BlocksAndWiderIntegers) {
  check_blocks<std::uint8_t>(DataType::Uint8);
  check_blocks<std::int8_t>(DataType::Int8);
  check_blocks<std::uint16_t>(DataType::Uint16);
  check_blocks<std::int16_t>(DataType::Int16);
}

// A product of 17 bits and one of a half type is rounded to this once.
template <class T>
void check_half_products(DataType type, DataType real, bool one_scale) {
  std::vector<T> x, zeros;
  std::vector<std::uint16_t> scales;
  std::uint32_t state = 1;
  const std::uint32_t patterns = real == DataType::Float16 ? 0x7c00 : 0x7f80;  // below infinity
  for (std::size_t i = 0; i < 20011; ++i) {
    state = state * 1664525 + 1013904223;
    x.push_back(static_cast<T>(state >> 16));
    if (!one_scale || i == 0) {
      zeros.push_back(static_cast<T>(state >> 9 & 0xfff));
      scales.push_back(static_cast<std::uint16_t>((state >> 3) % patterns | (state & 0x8000)));
    }
  }
  const BlockQuantizeConfig c{.integer = type,
                              .outer = 1,
                              .n = 1,
                              .inner = static_cast<std::int64_t>(x.size()),
                              .inner_step = one_scale ? 0 : 1,
                              .real = real};
  ASSERT_EQ(block_dequantize_candidates()[0].refuses(c), "");
  Constants constants;
  const auto got = run_at_widths(*block_dequantize_candidates()[0].make(c, constants),
                                 {x.data(), scales.data(), zeros.data()}, std::vector<std::uint16_t>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t s = one_scale ? 0 : i;
    const auto scale = static_cast<double>(base::small_float_to_float(real, scales[s]));
    ASSERT_EQ(got[i], base::double_to_small_float(real, (x[i] - zeros[s]) * scale, false)) << x[i] << " by " << scale;
  }
}

TEST(Quantize, SixteenBitsToHalves) {
  for (const DataType real : {DataType::Float16, DataType::BFloat16})
    for (const bool one_scale : {false, true}) {
      check_half_products<std::int16_t>(DataType::Int16, real, one_scale);
      check_half_products<std::uint16_t>(DataType::Uint16, real, one_scale);
    }
}

TEST(Quantize, IntegersOfFewBits) {
  for (const auto& [type, least, most] : {std::tuple{DataType::Int4, -8, 7},
                                          {DataType::Uint4, 0, 15},
                                          {DataType::Int2, -2, 1},
                                          {DataType::Uint2, 0, 3}}) {
    auto x = random_floats(3 * 70, 5, -20, 20), scales = random_floats(9, 6, 0.3f, 2);
    x[7] = std::nanf("");
    std::vector<std::int8_t> zeros(9);
    for (std::size_t i = 0; i < zeros.size(); ++i) zeros[i] = static_cast<std::int8_t>(i % 2);
    const BlockQuantizeConfig c{type, 3, 70, 1, 32, 3, 1, 0};
    ASSERT_EQ(block_quantize_candidates()[0].refuses(c), "");
    EXPECT_NE(block_dequantize_candidates()[0].refuses(c), "");
    Constants constants;
    const auto got = run_at_widths(*block_quantize_candidates()[0].make(c, constants),
                                   {x.data(), scales.data(), zeros.data()}, std::vector<std::int8_t>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t at = i / 70 * 3 + i % 70 / 32;
      const float v = std::nearbyint(x[i] / scales[at]) + zeros[at];
      ASSERT_EQ(got[i], std::isnan(v) ? least : std::clamp(static_cast<int>(v), least, most)) << i;
    }
  }
}

TEST(Quantize, BackFromInt32WithZeroPoints) {
  std::vector<std::int32_t> x = {
      0, 5, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max(), -7, 9};
  std::vector<std::int32_t> zeros = {3, -2};
  std::vector<float> scales = {0.5f, 2};
  const BlockQuantizeConfig c{DataType::Int32, 1, 2, 3, 1, 0, 1, 0};
  Constants constants;
  const auto got = run_at_widths(*block_dequantize_candidates()[0].make(c, constants),
                                 {x.data(), scales.data(), zeros.data()}, std::vector<float>(6));
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_EQ(got[i], static_cast<float>(static_cast<double>(x[i]) - zeros[i / 3]) * scales[i / 3]) << i;
}

// Quotients at and beside halves, by scales whose reciprocals are rounded, with even and odd zero points; few of them
// among others, and nothing else.
TEST(Quantize, RoundsTheQuotientItself) {
  for (const float scale : {0.3f, -0.7f, 0.0173f, 1.0f, 3e-20f, 7e20f, 1e-38f})
    for (const int zero : {0, 3, -77, 128, 255})
      for (const int every : {1, 61}) {
        std::vector<float> x;
        for (int i = -300; i < 300; ++i)
          for (const float side : {0.0f, -1e38f, 1e38f}) {
            const float half = (static_cast<float>(i) + 0.5f) * scale;
            x.push_back(side == 0 ? half : std::nextafter(half, side));
            for (int k = 1; k < every; ++k)
              x.push_back((static_cast<float>(i) + 0.003f * static_cast<float>(k)) * scale);
          }
        const auto check_type = [&]<class T>(DataType type, T point) {
          if (int{point} != zero) return;
          Constants constants;
          const QuantizeConfig config{type, 1, 1, static_cast<std::int64_t>(x.size())};
          float own = scale;
          const auto got = run_at_widths(*quantize_candidates()[0].make(config, constants), {x.data(), &own, &point},
                                         std::vector<T>(x.size()));
          const auto low = static_cast<float>(std::numeric_limits<T>::min()),
                     high = static_cast<float>(std::numeric_limits<T>::max());
          for (std::size_t i = 0; i < x.size(); ++i) {
            const float want = std::nearbyint(x[i] / scale) + static_cast<float>(zero);
            ASSERT_EQ(got[i], std::min(high, std::max(low, want))) << x[i] << " by " << scale << " at " << zero;
          }
        };
        check_type(DataType::Int8, static_cast<std::int8_t>(zero));
        check_type(DataType::Uint8, static_cast<std::uint8_t>(zero));
      }
}

// Planes to pixels.
TEST(Quantize, ChannelsLast) {
  for (const DataType type : {DataType::Uint8, DataType::Int8})
    for (const std::int64_t channels : {2, 3, 16}) {
      const PixelQuantizeConfig c{type, 2, channels, 1301};
      auto x = random_floats(2 * channels * 1301, 5, -40, 40);
      float scale = 0.3f;
      std::uint8_t zero = 9;
      ASSERT_EQ(pixel_quantize_candidates()[0].refuses(c), "");
      Constants constants;
      const auto got = run_at_widths(*pixel_quantize_candidates()[0].make(c, constants), {x.data(), &scale, &zero},
                                     std::vector<std::uint8_t>(x.size()));
      const bool is_signed = type == DataType::Int8;
      for (std::int64_t i = 0; i < 2; ++i)
        for (std::int64_t m = 0; m < channels; ++m)
          for (std::int64_t p = 0; p < 1301; ++p) {
            const float v = std::nearbyint(x[static_cast<std::size_t>((i * channels + m) * 1301 + p)] / scale) + 9;
            const float want = is_signed ? std::clamp(v, -128.0f, 127.0f) : std::clamp(v, 0.0f, 255.0f);
            ASSERT_EQ(got[static_cast<std::size_t>((i * 1301 + p) * channels + m)],
                      static_cast<std::uint8_t>(static_cast<int>(want)));
          }
    }
  EXPECT_NE(pixel_quantize_candidates()[0].refuses({DataType::Uint8, 1, 17, 8}), "");
}

TEST(Quantize, RunsOfOneScale) {
  check<std::uint8_t>(DataType::Uint8);
  check<std::int8_t>(DataType::Int8);
  EXPECT_NE(quantize_candidates()[0].refuses({DataType::Int16, 1, 1, 8}), "");
  EXPECT_NE(quantize_candidates()[0].refuses({DataType::Int8, 8, 4, 1}), "");
}

}  // namespace
}  // namespace norn::kernels
