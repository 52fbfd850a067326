// Casts against C++'s own conversions where those are defined, and against the rules where they are not.
#include "kernels/cpu/cast.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number.h"
#include "kernels/cpu/kernel_test.h"

namespace norn::kernels {
namespace {

using namespace test;

template <class To, class From>
std::vector<To> cast(DataType from, DataType to, const std::vector<From>& x) {
  const CastConfig config{from, to, static_cast<std::int64_t>(x.size())};
  EXPECT_EQ(cast_candidates()[0].refuses(config), "");
  Constants constants;
  return run_at_widths(*cast_candidates()[0].make(config, constants), {const_cast<From*>(x.data())},
                       std::vector<To>(x.size()));
}

TEST(Cast, EveryHalfToFloatAndBack) {
  std::vector<std::uint16_t> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  for (const DataType type : {DataType::Float16, DataType::BFloat16}) {
    const auto wide = cast<float>(type, DataType::Float, all);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const float want = base::small_float_to_float(type, all[i]);
      if (std::isnan(want))
        EXPECT_TRUE(std::isnan(wide[i]));
      else
        EXPECT_EQ(wide[i], want) << i;
    }
    const auto back = cast<std::uint16_t>(DataType::Float, type, wide);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!std::isnan(wide[i])) {
        EXPECT_EQ(back[i], all[i]);
      }
  }
}

TEST(Cast, RoundsToNearestEven) {
  for (const DataType type : {DataType::Float16, DataType::BFloat16}) {
    std::vector<float> x = random_floats(20000, 3, -70000, 70000);
    const auto tiny = random_floats(20000, 4, -1e-4f, 1e-4f);
    x.insert(x.end(), tiny.begin(), tiny.end());
    const float inf = std::numeric_limits<float>::infinity();
    for (float v : {0.0f, -0.0f, inf, -inf, 65519.0f, 65520.0f, 1.00048828125f, 1.00146484375f, 1.00390625f, 3e38f,
                    3.4e38f, 1e-45f, 6e-8f, 2.9e-8f})
      x.push_back(v);
    const auto got = cast<std::uint16_t>(DataType::Float, type, x);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(got[i], base::float_to_small_float(type, x[i])) << x[i];
    const auto nan = cast<std::uint16_t>(DataType::Float, type, std::vector<float>(40, std::nanf("")));
    for (std::uint16_t bits : nan) EXPECT_TRUE(std::isnan(base::small_float_to_float(type, bits)));
  }
}

TEST(Cast, FloatsToIntegers) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  const std::vector<double> x = {0, -0.9, 1.9, -1.9, 127, 255.5, -129, 3e9, -3e9, 1e19, -1e19, 1e300, nan, inf, -inf};
  EXPECT_EQ((cast<std::int32_t>(DataType::Double, DataType::Int32, x)),
            (std::vector<std::int32_t>{0, 0, 1, -1, 127, 255, -129, 2147483647, -2147483647 - 1, 2147483647,
                                       -2147483647 - 1, 2147483647, 0, 2147483647, -2147483647 - 1}));
  const std::int64_t least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ((cast<std::int64_t>(DataType::Double, DataType::Int64, x)),
            (std::vector<std::int64_t>{0, 0, 1, -1, 127, 255, -129, 3000000000, -3000000000, most, least, most, 0, most,
                                       least}));
  EXPECT_EQ((cast<std::uint8_t>(DataType::Double, DataType::Uint8, std::vector<double>{1.9, 255.5, 256, -1, nan, inf})),
            (std::vector<std::uint8_t>{1, 255, 0, 255, 0, 0}));
  EXPECT_EQ((cast<std::uint8_t>(DataType::Float, DataType::Bool, std::vector<float>{0, -0.0f, 0.1f, std::nanf("")})),
            (std::vector<std::uint8_t>{0, 0, 1, 1}));
}

TEST(Cast, LongIntegersOfEverySize) {
  for (int exponent = -3; exponent < 63; ++exponent) {  // runs of one size, beside those of all sizes
    std::vector<double> x;
    std::vector<std::int64_t> whole;
    for (int i = 0; i < 301; ++i) {
      x.push_back(std::ldexp(i % 2 == 0 ? 1.0 + i / 301.0 : -1.0 - i / 301.0, exponent - (i > 260 ? i % 20 : 0)));
      whole.push_back(static_cast<std::int64_t>(x.back()) + i % 3 - 1);
    }
    const auto cut = cast<std::int64_t>(DataType::Double, DataType::Int64, x);
    const auto bytes = cast<std::int8_t>(DataType::Double, DataType::Int8, x);
    const auto words = cast<std::uint16_t>(DataType::Double, DataType::Uint16, x);
    const auto integers = cast<std::int32_t>(DataType::Double, DataType::Int32, x);
    const auto doubles = cast<double>(DataType::Int64, DataType::Double, whole);
    const auto floats = cast<float>(DataType::Int64, DataType::Float, whole);
    const auto unsigned_floats = cast<float>(DataType::Uint64, DataType::Float, whole);
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(cut[i], static_cast<std::int64_t>(x[i]));
      ASSERT_EQ(bytes[i], static_cast<std::int8_t>(static_cast<std::int64_t>(x[i])));
      ASSERT_EQ(words[i], static_cast<std::uint16_t>(static_cast<std::int64_t>(x[i])));
      ASSERT_EQ(integers[i], static_cast<std::int32_t>(std::clamp(std::trunc(x[i]), -0x1p31, 0x1p31 - 1)));
      ASSERT_EQ(doubles[i], static_cast<double>(whole[i]));
      ASSERT_EQ(floats[i], static_cast<float>(whole[i]));
      ASSERT_EQ(unsigned_floats[i], static_cast<float>(static_cast<std::uint64_t>(whole[i])));
    }
  }
}

TEST(Cast, IntegersToOthers) {
  const std::vector<std::int64_t> x = {0, 1, -1, 255, 256, 16777217, std::numeric_limits<std::int64_t>::min()};
  const auto f = cast<float>(DataType::Int64, DataType::Float, x);
  const auto b = cast<std::uint8_t>(DataType::Int64, DataType::Uint8, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(f[i], static_cast<float>(x[i]));
    EXPECT_EQ(b[i], static_cast<std::uint8_t>(x[i]));
  }
  EXPECT_EQ((cast<std::uint16_t>(DataType::Int16, DataType::Float16, std::vector<std::int16_t>{2049, -3})),
            (std::vector<std::uint16_t>{base::float_to_half(2049), base::float_to_half(-3)}));
  EXPECT_NE((cast_candidates()[0].refuses({DataType::Int64, DataType::BFloat16, 4})), "") << "rounds twice";
}

// The nearest half number, found among all of them.
TEST(Cast, DoublesToHalvesRoundOnce) {
  std::vector<double> halves;
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits)
    halves.push_back(static_cast<double>(base::half_to_float(static_cast<std::uint16_t>(bits))));
  std::mt19937 engine(3);
  std::vector<double> x;
  for (int i = 0; i < 2000; ++i) {
    const std::size_t at = engine() % (halves.size() - 1);
    const double middle = (halves[at] + halves[at + 1]) / 2;
    x.insert(x.end(), {middle, std::nextafter(middle, 0.0), std::nextafter(middle, 1e9), -halves[at], -middle});
  }
  const auto got = cast<std::uint16_t>(DataType::Double, DataType::Float16, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto above = std::lower_bound(halves.begin(), halves.end(), std::abs(x[i]));
    auto bits = static_cast<std::uint16_t>(above - halves.begin());
    if (*above != std::abs(x[i])) {
      const double down = std::abs(x[i]) - *(above - 1), up = *above - std::abs(x[i]);
      if (down < up || (down == up && (bits - 1) % 2 == 0)) --bits;
    }
    EXPECT_EQ(got[i], bits | (x[i] < 0 ? 0x8000 : 0)) << x[i];
  }
  const auto whole = cast<std::uint16_t>(DataType::Int32, DataType::BFloat16, std::vector<std::int32_t>{16842753});
  EXPECT_EQ(whole[0], base::float_to_bfloat16(16908288)) << "just above the middle, which f32 does not distinguish";
}

}  // namespace
}  // namespace norn::kernels
