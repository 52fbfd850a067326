// Truth here: the formats' definitions written down as fields and bias, checked over every bit pattern, and rounding as
// "no representable neighbour is nearer, and a tie goes to the even pattern".
#include "base/number.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace norn::base {
namespace {

struct Spec {
  DataType type;
  int exponent, mantissa, bias;
  double max;     // largest finite value
  bool infinity;  // all-ones exponent is infinity and NaN
  bool unsigned_zero;
};

const Spec kSpecs[] = {
    {DataType::Float16, 5, 10, 15, 65504, true, false},   {DataType::BFloat16, 8, 7, 127, 0x1.fep127, true, false},
    {DataType::Float8E4M3FN, 4, 3, 7, 448, false, false}, {DataType::Float8E4M3FNUZ, 4, 3, 8, 240, false, true},
    {DataType::Float8E5M2, 5, 2, 15, 57344, true, false}, {DataType::Float8E5M2FNUZ, 5, 2, 16, 57344, false, true},
    {DataType::Float6E2M3, 2, 3, 1, 7.5, false, false},   {DataType::Float6E3M2, 3, 2, 3, 28, false, false},
    {DataType::Float4E2M1, 2, 1, 1, 6, false, false},
};

bool saturates(DataType t) {
  return t == DataType::Float8E4M3FN || t == DataType::Float8E4M3FNUZ || t == DataType::Float8E5M2 ||
         t == DataType::Float8E5M2FNUZ;
}

class SmallFloat : public testing::TestWithParam<Spec> {
 protected:
  unsigned width() const { return 1u + static_cast<unsigned>(GetParam().exponent + GetParam().mantissa); }
  unsigned positive_codes() const { return 1u << (width() - 1); }
  float value(unsigned code) const { return small_float_to_float(GetParam().type, static_cast<std::uint16_t>(code)); }
  unsigned code(float v, bool saturate = true) const { return float_to_small_float(GetParam().type, v, saturate); }

  // Codes of non-negative finite values, ascending.
  std::vector<unsigned> finite() const {
    std::vector<unsigned> codes;
    for (unsigned c = 0; c < positive_codes(); ++c)
      if (std::isfinite(value(c))) codes.push_back(c);
    return codes;
  }
};

TEST_P(SmallFloat, DecodesFieldsByDefinition) {
  const Spec& s = GetParam();
  for (unsigned c = 0; c < positive_codes(); ++c) {
    const unsigned e = c >> s.mantissa, m = c & ((1u << s.mantissa) - 1);
    const double expected = e ? (1 + std::ldexp(m, -s.mantissa)) * std::exp2(static_cast<int>(e) - s.bias)
                              : std::ldexp(m, 1 - s.bias - s.mantissa);
    const float got = value(c);
    const unsigned top = (1u << s.exponent) - 1;
    if (s.infinity && e == top) {
      EXPECT_TRUE(m ? std::isnan(got) : std::isinf(got)) << c;
    } else if (expected > s.max) {
      EXPECT_TRUE(std::isnan(got)) << c;
    } else {
      EXPECT_EQ(got, expected) << c;
    }
    const float negative = value(c | positive_codes());
    if (c == 0 && s.unsigned_zero) {
      EXPECT_TRUE(std::isnan(negative));
    } else if (std::isnan(got)) {
      EXPECT_TRUE(std::isnan(negative)) << c;
    } else {
      EXPECT_EQ(negative, -got) << c;
      EXPECT_TRUE(std::signbit(negative)) << c;
    }
  }
  EXPECT_EQ(value(finite().back()), s.max);
}

TEST_P(SmallFloat, EveryPatternRoundTrips) {
  for (unsigned c = 0; c < 2 * positive_codes(); ++c) {
    const float v = value(c);
    for (bool saturate : {false, true}) {
      if (std::isnan(v)) {
        EXPECT_TRUE(std::isnan(value(code(v, saturate)))) << c;
      } else if (std::isinf(v) && saturate && saturates(GetParam().type)) {
        EXPECT_EQ(value(code(v, saturate)), std::copysign(static_cast<float>(GetParam().max), v));
      } else {
        EXPECT_EQ(code(v, saturate), c);
      }
    }
  }
}

TEST_P(SmallFloat, RoundsToNearestAndTiesToEven) {
  const auto codes = finite();
  for (std::size_t i = 0; i + 1 < codes.size(); ++i) {
    const double low = value(codes[i]), high = value(codes[i + 1]), middle = low + (high - low) / 2;
    const unsigned even = codes[i] % 2 ? codes[i + 1] : codes[i];
    const auto narrow = [&](double v) { return double_to_small_float(GetParam().type, v); };
    EXPECT_EQ(narrow(middle), even) << low << " " << high;
    EXPECT_EQ(narrow(std::nextafter(middle, low)), codes[i]) << low;
    EXPECT_EQ(narrow(std::nextafter(middle, high)), codes[i + 1]) << low;
    if (even != 0 || !GetParam().unsigned_zero) {
      EXPECT_EQ(narrow(-middle), even | positive_codes());
    }
    const auto single = static_cast<float>(middle);
    if (static_cast<double>(single) != middle) continue;  // bfloat16's smallest steps
    EXPECT_EQ(code(single), even);
    EXPECT_EQ(code(std::nextafter(single, 0.0f)), codes[i]);
    EXPECT_EQ(code(std::nextafter(single, std::numeric_limits<float>::infinity())), codes[i + 1]);
  }
}

TEST_P(SmallFloat, OutOfRange) {
  const Spec& s = GetParam();
  const auto codes = finite();
  const double max = s.max, step = max - value(codes[codes.size() - 2]);
  const double inf = std::numeric_limits<double>::infinity();
  for (double v : {max + step / 2, max + step, 1e300, inf}) {
    const float wide = small_float_to_float(s.type, double_to_small_float(s.type, v, false));
    const float kept = small_float_to_float(s.type, double_to_small_float(s.type, v, true));
    if (s.infinity) {
      EXPECT_EQ(wide, std::numeric_limits<float>::infinity()) << v;
    } else if (saturates(s.type)) {
      // The two formats whose largest code is odd round the tie away, E4M3FN's 448 is even and stays.
      if (codes.back() % 2 == 0 && v == max + step / 2) {
        EXPECT_EQ(wide, max);
      } else {
        EXPECT_TRUE(std::isnan(wide)) << v;
      }
    } else {
      EXPECT_EQ(wide, max) << v;
    }
    if (saturates(s.type) || !s.infinity) {
      EXPECT_EQ(kept, max) << v;
    }
  }
  EXPECT_EQ(small_float_to_float(s.type, double_to_small_float(s.type, max + step / 4, false)), max);
}

TEST_P(SmallFloat, FloatAndDoubleAgree) {
  std::mt19937 random(7);
  for (int i = 0; i < 200'000; ++i) {
    const float v = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isnan(v)) continue;
    EXPECT_EQ(code(v, i % 2), double_to_small_float(GetParam().type, v, i % 2)) << v;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, SmallFloat, testing::ValuesIn(kSpecs),
                         [](const auto& info) { return std::string(data_type_name(info.param.type)); });

TEST(Number, ManyHalvesAreWidenedAsOne) {
  constexpr std::int64_t kAll = 1 << 16;
  std::vector<std::byte> unaligned(2 * kAll + 1);
  for (std::int64_t i = 0; i < kAll; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    std::memcpy(unaligned.data() + 1 + 2 * i, &bits, sizeof bits);
  }
  std::vector<float> wide(kAll);
  halves_to_floats(unaligned.data() + 1, wide.data(), kAll);
  for (std::int64_t i = 0; i < kAll; ++i) {
    const float want = half_to_float(static_cast<std::uint16_t>(i));
    ASSERT_EQ(std::bit_cast<std::uint32_t>(wide[static_cast<std::size_t>(i)]), std::bit_cast<std::uint32_t>(want)) << i;
  }
}

TEST(Number, DoubleRoundsOnce) {
  // Through float, this would round up to the tie first and then to the even neighbour above.
  const double v = 1 + std::exp2(-11) + std::exp2(-40);
  EXPECT_EQ(double_to_small_float(DataType::Float16, v), 0x3c01);
  EXPECT_EQ(float_to_small_float(DataType::Float16, static_cast<float>(v)), 0x3c00);
}

TEST(Number, E8M0IsABareExponent) {
  const auto type = DataType::Float8E8M0;
  for (int c = 0; c < 255; ++c) {
    const float v = small_float_to_float(type, static_cast<std::uint16_t>(c));
    EXPECT_EQ(v, std::exp2(static_cast<double>(c) - 127));
    EXPECT_EQ(float_to_small_float(type, v), c);
    if (c < 254) {
      EXPECT_EQ(double_to_small_float(type, 1.5 * v), c + 1) << "ties round up";
      EXPECT_EQ(double_to_small_float(type, std::nextafter(1.5 * v, 0.0)), c);
    }
  }
  EXPECT_TRUE(std::isnan(small_float_to_float(type, 0xff)));
  EXPECT_EQ(float_to_small_float(type, 0.0f, true), 0);
  EXPECT_EQ(float_to_small_float(type, 0.0f, false), 0xff);
  EXPECT_EQ(float_to_small_float(type, std::numeric_limits<float>::infinity(), true), 0xfe);
  EXPECT_EQ(float_to_small_float(type, std::numeric_limits<float>::infinity(), false), 0xff);
  EXPECT_EQ(float_to_small_float(type, std::nanf(""), true), 0xff);
  EXPECT_EQ(float_to_small_float(type, -1.0f, true), 0xff);
}

}  // namespace
}  // namespace norn::base
