// Floats of 8 bits and fewer, and integers of fewer than 8: their casts against base's conversions, which go by other
// steps, and quantisation to them against its formula in double.
#include <limits>

#include "base/number.h"
#include "kernels/cpu/cast.h"
#include "kernels/cpu/kernel_test.h"
#include "kernels/cpu/quantize.h"

namespace norn::kernels {
namespace {

using namespace test;

constexpr DataType kSmall[] = {DataType::Float8E4M3FN, DataType::Float8E4M3FNUZ, DataType::Float8E5M2,
                               DataType::Float8E5M2FNUZ, DataType::Float4E2M1};

template <class To, class From>
std::vector<To> cast(const CastConfig& given, const std::vector<From>& x) {
  CastConfig config = given;
  config.elements = static_cast<std::int64_t>(x.size());
  EXPECT_EQ(cast_candidates()[0].refuses(config), "");
  Constants constants;
  return run_at_widths(*cast_candidates()[0].make(config, constants), {const_cast<From*>(x.data())},
                       std::vector<To>(x.size()));
}

// Every code, the middle between each two neighbours and what lies just beside it, and what is beyond all.
std::vector<float> telling_numbers(DataType type) {
  std::vector<float> x = {0.0f, -0.0f, 1e-30f, -1e-30f, 1e-42f, 3e38f, -3e38f, 464.0f, 480.1f, 61440.0f, 65000.0f};
  for (const float inf = std::numeric_limits<float>::infinity(); const float v : {inf, -inf, std::nanf("")})
    x.push_back(v);
  for (std::uint16_t code = 0; code < 256; ++code) {
    const float v = base::small_float_to_float(type, code), next = base::small_float_to_float(type, code + 1);
    if (std::isnan(v) || std::isinf(v)) continue;
    x.push_back(v);
    if (std::isnan(next) || std::isinf(next)) continue;
    const float middle = (v + next) / 2;
    x.insert(x.end(), {middle, std::nextafter(middle, 0.0f), std::nextafter(middle, 1e9f * middle)});
  }
  const auto more = random_floats(3000, 8, -600, 600), less = random_floats(3000, 9, -0.02f, 0.02f);
  x.insert(x.end(), more.begin(), more.end());
  x.insert(x.end(), less.begin(), less.end());
  return x;
}

TEST(CastSmall, RoundsAsOneNumberDoes) {
  for (const DataType type : kSmall)
    for (const bool saturate : {true, false}) {
      const auto x = telling_numbers(type);
      const auto got = cast<std::uint8_t>({DataType::Float, type, 0, saturate}, x);
      for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_EQ(got[i], base::float_to_small_float(type, x[i], saturate)) << data_type_name(type) << " " << x[i];
      // Values so near to the middle that f32 does not distinguish them from it.
      std::vector<double> fine;
      for (const float v : x)
        if (std::isfinite(v)) fine.insert(fine.end(), {static_cast<double>(v) * (1 + 1e-12), v * (1 - 1e-12)});
      const auto of_double = cast<std::uint8_t>({DataType::Double, type, 0, saturate}, fine);
      for (std::size_t i = 0; i < fine.size(); ++i)
        ASSERT_EQ(of_double[i], base::double_to_small_float(type, fine[i], saturate)) << fine[i];
    }
}

TEST(CastSmall, EveryCodeToOthers) {
  for (const DataType type : kSmall) {
    std::vector<std::uint8_t> codes;
    for (int code = 0; code < (type == DataType::Float4E2M1 ? 16 : 256); ++code)
      codes.push_back(static_cast<std::uint8_t>(code));
    const auto wide = cast<float>({type, DataType::Float}, codes);
    const auto half = cast<std::uint16_t>({type, DataType::Float16}, codes);
    const auto whole = cast<std::int64_t>({type, DataType::Int64}, codes);
    const auto truth = cast<std::uint8_t>({type, DataType::Bool}, codes);
    const auto again = cast<std::uint8_t>({type, type}, codes);
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const float want = base::small_float_to_float(type, codes[i]);
      EXPECT_EQ(truth[i], want != 0);
      EXPECT_EQ(again[i], base::float_to_small_float(type, want));
      if (std::isnan(want)) {
        EXPECT_TRUE(std::isnan(wide[i]) && std::isnan(base::half_to_float(half[i])));
        continue;
      }
      EXPECT_EQ(wide[i], want);
      EXPECT_EQ(half[i], base::float_to_half(want));
      if (std::isfinite(want)) {
        EXPECT_EQ(whole[i], static_cast<std::int64_t>(want));
      }
    }
  }
  const auto from_int = cast<std::uint8_t>({DataType::Int64, DataType::Float8E5M2}, std::vector<std::int64_t>{7, -9});
  EXPECT_EQ(from_int[0], base::float_to_small_float(DataType::Float8E5M2, 7));
  EXPECT_EQ(from_int[1], base::float_to_small_float(DataType::Float8E5M2, -9));
}

TEST(CastSmall, IntegersKeepTheirLowestBits) {
  std::vector<float> x = random_floats(1000, 3, -300, 300);
  x.push_back(std::nanf(""));
  struct {
    DataType type;
    int bits;
    bool has_sign;
  } const cases[] = {
      {DataType::Int4, 4, true}, {DataType::Uint4, 4, false}, {DataType::Int2, 2, true}, {DataType::Uint2, 2, false}};
  for (const auto& c : cases) {
    const auto got = cast<std::int8_t>({DataType::Float, c.type}, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const int whole = std::isnan(x[i]) ? 0 : static_cast<int>(x[i]), range = 1 << c.bits;
      int want = ((whole % range) + range) % range;
      if (c.has_sign && want >= range / 2) want -= range;
      ASSERT_EQ(got[i], want) << x[i];
    }
    const auto back = cast<float>({c.type, DataType::Float}, got);
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(back[i], got[i]);
  }
}

// The quotient is rounded to f32, or to a half type, before it is rounded to the small float.
void check_quantize(BlockQuantizeConfig c, std::int64_t scales, bool with_zeros) {
  const std::int64_t size = c.outer * c.n * c.inner;
  auto x = random_floats(size, 5, -900, 900);
  for (std::size_t i = 0; i < x.size(); i += 17) x[i] *= 1e-5f;
  x[0] = std::nanf("");
  auto scale = random_floats(scales, 6, 0.5f, 3);
  std::vector<std::uint8_t> zeros(static_cast<std::size_t>(scales), 0);
  for (std::size_t i = 0; i < zeros.size(); i += 2) zeros[i] = base::float_to_small_float(c.integer, 1.5f) & 0xff;
  const bool halves = c.real == DataType::Float16;
  const auto real = [&](double v) {
    return halves ? static_cast<double>(base::half_to_float(base::float_to_small_float(DataType::Float16, v)))
                  : static_cast<double>(static_cast<float>(v));
  };
  const auto stored = [&](const std::vector<float>& v) {
    std::vector<std::uint16_t> half;
    for (const float f : v) half.push_back(base::float_to_half(f));
    return half;
  };
  auto x_halves = stored(x), scale_halves = stored(scale);
  if (halves) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = base::half_to_float(x_halves[i]);
    for (std::size_t i = 0; i < scale.size(); ++i) scale[i] = base::half_to_float(scale_halves[i]);
  }
  Constants constants;
  ASSERT_EQ(block_quantize_candidates()[0].refuses(c), "");
  void* const from = halves ? static_cast<void*>(x_halves.data()) : x.data();
  void* const by = halves ? static_cast<void*>(scale_halves.data()) : scale.data();
  void* const plus = with_zeros ? zeros.data() : nullptr;
  auto got = run_at_widths(*block_quantize_candidates()[0].make(c, constants), {from, by, plus},
                           std::vector<std::uint8_t>(x.size()));
  std::vector<float> back(x.size());
  std::vector<std::uint16_t> back_halves(x.size());
  const auto backwards = block_dequantize_candidates()[0].make(c, constants);
  if (halves)
    back_halves = run_at_widths(*backwards, {got.data(), by, plus}, back_halves);
  else
    back = run_at_widths(*backwards, {got.data(), by, plus}, back);
  for (std::int64_t i = 0; i < size; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::int64_t o = i / (c.n * c.inner), k = i / c.inner % c.n, j = i % c.inner;
    const auto s = static_cast<std::size_t>(o * c.outer_step + k / c.block * c.step + j * c.inner_step);
    const double zero = with_zeros ? static_cast<double>(base::small_float_to_float(c.integer, zeros[s])) : 0;
    const double quotient = real(static_cast<double>(x[at]) / static_cast<double>(scale[s])) + zero;
    ASSERT_EQ(got[at], base::double_to_small_float(c.integer, quotient, c.saturate)) << x[at] << " by " << scale[s];
    const double less = static_cast<double>(base::small_float_to_float(c.integer, got[at])) - zero;
    const double want = real(static_cast<double>(static_cast<float>(less)) * static_cast<double>(scale[s]));
    const double found =
        halves ? static_cast<double>(base::half_to_float(back_halves[at])) : static_cast<double>(back[at]);
    if (std::isnan(want)) {
      ASSERT_TRUE(std::isnan(found));
    } else {
      ASSERT_EQ(found, want) << data_type_name(c.integer) << " " << i;
    }
  }
}

TEST(QuantizeSmall, OneScaleBlocksAndScalesByElement) {
  for (const DataType type : kSmall)
    for (const DataType real : {DataType::Float, DataType::Float16})
      for (const bool saturate : {true, false}) {
        const auto with = [&](BlockQuantizeConfig c) {
          c.integer = type;
          c.real = real;
          c.saturate = saturate;
          return c;
        };
        check_quantize(with({.inner = 5001}), 1, false);
        check_quantize(with({.outer = 3, .n = 7, .inner = 41, .step = 1}), 7, false);
        check_quantize(with({.outer = 5, .n = 64, .inner = 1, .block = 16, .outer_step = 4, .step = 1}), 20, false);
        check_quantize(
            with({.outer = 2, .n = 6, .inner = 700, .block = 3, .outer_step = 1400, .step = 700, .inner_step = 1}),
            2800, false);
        check_quantize(with({.outer = 40, .n = 23, .inner = 1, .step = 1}), 23, false);
      }
  check_quantize({.integer = DataType::Float8E4M3FN, .outer = 40, .n = 23, .inner = 1, .step = 1}, 23, true);
  check_quantize({.integer = DataType::Float8E5M2, .outer = 3, .n = 7, .inner = 41, .step = 1}, 7, true);
}

// Integers of half types by scales from element to element.
TEST(QuantizeSmall, HalvesToIntegers) {
  for (const DataType type : {DataType::Int8, DataType::Int4}) {
    const BlockQuantizeConfig c{
        .integer = type, .outer = 40, .n = 23, .inner = 1, .step = 1, .real = DataType::Float16};
    std::vector<std::uint16_t> x, scales;
    for (const float v : random_floats(920, 5, -40, 40)) x.push_back(base::float_to_half(v));
    for (const float v : random_floats(23, 6, 0.3f, 2)) scales.push_back(base::float_to_half(v));
    std::vector<std::int8_t> zeros(23, 2);
    Constants constants;
    ASSERT_EQ(block_quantize_candidates()[0].refuses(c), "");
    const auto got = run_at_widths(*block_quantize_candidates()[0].make(c, constants),
                                   {x.data(), scales.data(), zeros.data()}, std::vector<std::int8_t>(x.size()));
    const double top = type == DataType::Int4 ? 7 : 127;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double exact =
          static_cast<double>(base::half_to_float(x[i])) / static_cast<double>(base::half_to_float(scales[i % 23]));
      const auto quotient =
          static_cast<double>(base::half_to_float(base::double_to_small_float(DataType::Float16, exact)));
      ASSERT_EQ(got[i], std::clamp(std::nearbyint(quotient) + 2, -top - 1, top)) << i;
    }
  }
  EXPECT_NE(block_dequantize_candidates()[0].refuses({.integer = DataType::Int32, .real = DataType::Float16}), "");
}

}  // namespace
}  // namespace norn::kernels
