// Element-wise operations in every type against their definitions, with broadcasts, and functions against the C
// library's in long double.
#include "kernels/cpu/typed.h"

#include <numeric>

#include "base/number.h"
#include "kernels/cpu/kernel_test.h"
#include "kernels/cpu/power.h"
#include "norn/error.h"

namespace norn::kernels {
namespace {

using namespace test;

template <class T>
struct TypeOf;
template <>
struct TypeOf<float> {
  static constexpr DataType type = DataType::Float;
};
template <>
struct TypeOf<double> {
  static constexpr DataType type = DataType::Double;
};
template <>
struct TypeOf<std::int8_t> {
  static constexpr DataType type = DataType::Int8;
};
template <>
struct TypeOf<std::int16_t> {
  static constexpr DataType type = DataType::Int16;
};
template <>
struct TypeOf<std::int32_t> {
  static constexpr DataType type = DataType::Int32;
};
template <>
struct TypeOf<std::int64_t> {
  static constexpr DataType type = DataType::Int64;
};
template <>
struct TypeOf<std::uint8_t> {
  static constexpr DataType type = DataType::Uint8;
};
template <>
struct TypeOf<std::uint16_t> {
  static constexpr DataType type = DataType::Uint16;
};
template <>
struct TypeOf<std::uint32_t> {
  static constexpr DataType type = DataType::Uint32;
};
template <>
struct TypeOf<std::uint64_t> {
  static constexpr DataType type = DataType::Uint64;
};

template <class T>
class Typed : public testing::Test {};
using Integers = testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                                std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(Typed, Integers);

template <class T>
std::vector<T> some(std::size_t n, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::vector<T> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<T>(engine() >> (i % 3 == 0 ? 0 : 58));
  for (std::size_t i = 0; i + 4 < n; i += 97) {
    v[i] = std::numeric_limits<T>::min();
    v[i + 1] = std::numeric_limits<T>::max();
    v[i + 2] = static_cast<T>(-1);
  }
  return v;
}

template <class T>
std::vector<T> run(TypedOp op, const std::vector<Shape>& shapes, const Shape& out, std::vector<void*> operands) {
  const TypedConfig config{.op = op, .type = TypeOf<T>::type, .inputs = shapes, .out = out};
  EXPECT_EQ(typed_candidates()[0].refuses(config), "");
  Constants constants;
  return run_at_widths(*typed_candidates()[0].make(config, constants), std::move(operands),
                       std::vector<T>(static_cast<std::size_t>(element_count(out)), T{9}));
}

// In 128 bits, where nothing wraps.
__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;
Wide floored(Wide a, Wide b) {
  const Wide r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

TYPED_TEST(Typed, PairsOfIntegers) {
  using T = TypeParam;
  const Shape full = {3, 5, 401};
  for (const Shape& b_dims : {full, Shape{401}, Shape{5, 1}, Shape{}}) {
    std::vector<T> a = some<T>(3 * 5 * 401, 1), b = some<T>(static_cast<std::size_t>(element_count(b_dims)), 2);
    for (T& v : b) v = v == T{0} ? T{3} : v;
    for (const auto& [op, want] : std::initializer_list<std::pair<TypedOp, Wide (*)(Wide, Wide)>>{
             {TypedOp::Add, [](Wide x, Wide y) { return x + y; }},
             {TypedOp::Sub, [](Wide x, Wide y) { return x - y; }},
             {TypedOp::Mul, [](Wide x, Wide y) { return static_cast<Wide>(UnsignedWide(x) * UnsignedWide(y)); }},
             {TypedOp::Div, [](Wide x, Wide y) { return x / y; }},
             {TypedOp::Fmod, [](Wide x, Wide y) { return x % y; }},
             {TypedOp::Mod, floored},
             {TypedOp::Max, [](Wide x, Wide y) { return x > y ? x : y; }},
             {TypedOp::Min, [](Wide x, Wide y) { return x < y ? x : y; }},
             {TypedOp::And, [](Wide x, Wide y) { return x & y; }},
             {TypedOp::Or, [](Wide x, Wide y) { return x | y; }},
             {TypedOp::Xor, [](Wide x, Wide y) { return x ^ y; }}}) {
      const auto got = run<T>(op, {full, b_dims}, full, {a.data(), b.data()});
      for (std::size_t i = 0; i < got.size(); ++i) {
        const std::size_t at = b_dims.empty() ? 0 : b_dims == full ? i : b_dims == Shape{401} ? i % 401 : i / 401 % 5;
        ASSERT_EQ(got[i], static_cast<T>(want(a[i], b[at]))) << static_cast<int>(op) << " at " << i;
      }
    }
  }
}

// Far more elements than a tile has.
TYPED_TEST(Typed, LongRuns) {
  using T = TypeParam;
  constexpr std::size_t kRow = 70001;
  const Shape full = {3, kRow};
  for (const Shape& b_dims : {full, Shape{kRow}, Shape{3, 1}, Shape{}}) {
    std::vector<T> a = some<T>(3 * kRow, 1), b = some<T>(static_cast<std::size_t>(element_count(b_dims)), 2);
    for (const bool swapped : {false, true}) {
      const auto got = swapped ? run<T>(TypedOp::Max, {b_dims, full}, full, {b.data(), a.data()})
                               : run<T>(TypedOp::Max, {full, b_dims}, full, {a.data(), b.data()});
      for (std::size_t i = 0; i < got.size(); ++i) {
        const std::size_t at = b_dims.empty() ? 0 : b_dims == full ? i : b_dims == Shape{3, 1} ? i / kRow : i % kRow;
        ASSERT_EQ(got[i], std::max(a[i], b[at])) << i;
      }
    }
  }
  std::vector<T> x = some<T>(3 * kRow, 4);
  const auto got = run<T>(TypedOp::BitwiseNot, {full}, full, {x.data()});
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], static_cast<T>(~x[i])) << i;
}

TYPED_TEST(Typed, ShrunkInDouble) {
  using T = TypeParam;
  std::vector<T> x = some<T>(3001, 5);
  for (const auto& [most, bias] : {std::pair{2.5f, 1.0f}, {0.0f, 0.0f}, {20.0f, -3.75f}, {-4.0f, 0.5f}}) {
    const TypedConfig config{
        .op = TypedOp::Shrink, .type = TypeOf<T>::type, .inputs = {{3001}}, .out = {3001}, .a = most, .b = bias};
    ASSERT_EQ(typed_candidates()[0].refuses(config), "");
    Constants constants;
    const auto got = run_at_widths(*typed_candidates()[0].make(config, constants), {x.data()}, std::vector<T>(3001));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double v = static_cast<double>(x[i]), m = most, b = bias;
      const double want = v < -m ? v + b : v > m ? v - b : 0;
      // What is cut to an integer beyond the type is said by Cast.
      if (want <= static_cast<double>(std::numeric_limits<T>::min()) - 1 ||
          want >= static_cast<double>(std::numeric_limits<T>::max()))
        continue;
      ASSERT_EQ(got[i], static_cast<T>(want)) << v << " " << most << " " << bias;
    }
  }
}

TYPED_TEST(Typed, OneInteger) {
  using T = TypeParam;
  std::vector<T> x = some<T>(3001, 5);
  for (const auto& [op, want] : std::initializer_list<std::pair<TypedOp, Wide (*)(Wide)>>{
           {TypedOp::Neg, [](Wide v) { return -v; }},
           {TypedOp::Abs, [](Wide v) { return v < 0 ? -v : v; }},
           {TypedOp::Sign, [](Wide v) { return Wide{v > 0} - Wide{v < 0}; }},
           {TypedOp::Relu, [](Wide v) { return v < 0 ? Wide{0} : v; }},
           {TypedOp::BitwiseNot, [](Wide v) { return ~v; }}}) {
    const auto got = run<T>(op, {{3001}}, {3001}, {x.data()});
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], static_cast<T>(want(x[i])));
  }
  std::vector<T> low = {T{3}}, high = {T{60}};
  TypedConfig clip{
      .op = TypedOp::Clip, .type = TypeOf<T>::type, .inputs = {{3001}}, .lower = true, .upper = true, .out = {3001}};
  Constants constants;
  const auto got = run_at_widths(*typed_candidates()[0].make(clip, constants), {x.data(), low.data(), high.data()},
                                 std::vector<T>(3001));
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], std::clamp(x[i], T{3}, T{60}));
  clip.lower = clip.upper = false;
  EXPECT_EQ(
      run_at_widths(*typed_candidates()[0].make(clip, constants), {x.data(), nullptr, nullptr}, std::vector<T>(3001)),
      x);
}

TYPED_TEST(Typed, DivisionByZeroIsAnError) {
  using T = TypeParam;
  std::vector<T> a(2000, T{7}), b(2000, T{2}), out(2000);
  b[1500] = T{0};
  const TypedConfig config{.op = TypedOp::Div, .type = TypeOf<T>::type, .inputs = {{2000}, {2000}}, .out = {2000}};
  Constants constants;
  void* operands[] = {a.data(), b.data(), out.data()};
  EXPECT_THROW(typed_candidates()[0].make(config, constants)->run(operands, nullptr), Error);
}

TEST(TypedShift, BeyondTheWidthGivesZero) {
  std::vector<std::uint8_t> x = {255, 255, 129, 3}, by = {1, 8, 200, 0};
  EXPECT_EQ((run<std::uint8_t>(TypedOp::ShiftLeft, {{4}, {4}}, {4}, {x.data(), by.data()})),
            (std::vector<std::uint8_t>{254, 0, 0, 3}));
  EXPECT_EQ((run<std::uint8_t>(TypedOp::ShiftRight, {{4}, {4}}, {4}, {x.data(), by.data()})),
            (std::vector<std::uint8_t>{127, 0, 0, 3}));
}

template <class T>
void check_function(TypedOp op, long double (*want)(long double), long double low, long double high, double ulps) {
  std::mt19937_64 engine(11);
  std::uniform_real_distribution<double> uniform(static_cast<double>(low), static_cast<double>(high));
  std::vector<T> x = {T{0},
                      -T{0},
                      T{1},
                      T{-1},
                      std::numeric_limits<T>::infinity(),
                      -std::numeric_limits<T>::infinity(),
                      std::numeric_limits<T>::quiet_NaN(),
                      std::numeric_limits<T>::max(),
                      std::numeric_limits<T>::denorm_min()};
  for (int i = 0; i < 5000; ++i) {
    x.push_back(static_cast<T>(uniform(engine)));
    x.push_back(static_cast<T>(uniform(engine) * 1e-4));
  }
  const Shape dims = {static_cast<std::int64_t>(x.size())};
  const auto got = run<T>(op, {dims}, dims, {x.data()});
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double exact = want(static_cast<long double>(x[i]));
    const T rounded = static_cast<T>(exact);
    if (std::isnan(rounded) || std::isinf(rounded)) {
      ASSERT_TRUE(std::isnan(rounded) ? std::isnan(got[i]) : got[i] == rounded)
          << static_cast<int>(op) << " of " << x[i] << " gives " << got[i];
      continue;
    }
    const long double unit =
        std::max<long double>(std::nextafter(std::abs(rounded), std::numeric_limits<T>::infinity()) - std::abs(rounded),
                              std::numeric_limits<T>::min());
    ASSERT_LE(std::abs(static_cast<long double>(got[i]) - exact), ulps * unit)
        << static_cast<int>(op) << " of " << x[i] << " gives " << got[i] << ", not " << rounded;
    if (x[i] == 0) {
      ASSERT_EQ(std::signbit(got[i]), std::signbit(rounded)) << static_cast<int>(op) << " of " << x[i];
    }
  }
}

template <class T>
void check_functions() {
  check_function<T>(TypedOp::Exp, std::exp, -50, 50, 2);
  check_function<T>(TypedOp::Log, std::log, 1e-9L, 1000, 4);
  check_function<T>(TypedOp::Sigmoid, [](long double v) { return 1 / (1 + std::exp(-v)); }, -30, 30, 4);
  check_function<T>(TypedOp::Sin, std::sin, -100, 100, 4);
  check_function<T>(TypedOp::Cos, std::cos, -100, 100, 4);
  check_function<T>(TypedOp::Tan, std::tan, -100, 100, 8);
  check_function<T>(TypedOp::Asin, std::asin, -1, 1, 4);
  check_function<T>(TypedOp::Acos, std::acos, -1, 1, 4);
  check_function<T>(TypedOp::Atan, std::atan, -50, 50, 4);
  check_function<T>(TypedOp::Sinh, std::sinh, -20, 20, 5);
  check_function<T>(TypedOp::Cosh, std::cosh, -20, 20, 4);
  check_function<T>(TypedOp::Tanh, std::tanh, -20, 20, 5);
  check_function<T>(TypedOp::Asinh, std::asinh, -50, 50, 5);
  check_function<T>(TypedOp::Acosh, std::acosh, 1, 50, 5);
  check_function<T>(TypedOp::Atanh, std::atanh, -1, 1, 5);
}
TEST(TypedFunctions, Float) { check_functions<float>(); }
TEST(TypedFunctions, Double) { check_functions<double>(); }

// Beside others in a vector: what is nothing but 0 is that exactly, and what is not yet is the C library's.
template <class T>
void check_far_exponentials(T nothing) {
  const T infinity = std::numeric_limits<T>::infinity();
  const std::vector<T> values = {0,
                                 -infinity,
                                 1,
                                 nothing - 1,
                                 -3,
                                 nothing,
                                 -infinity,
                                 nothing + 2,
                                 std::nextafter(nothing, -infinity),
                                 infinity,
                                 -1000000,
                                 T(0.5),
                                 std::numeric_limits<T>::quiet_NaN(),
                                 -infinity};
  std::vector<T> x;
  for (std::size_t i = 0; i < 500; ++i) x.push_back(values[i * i / 3 % (i < 200 ? 9 : values.size())]);
  const Shape dims = {std::ssize(x)};
  const auto got = run<T>(TypedOp::Exp, {dims}, dims, {x.data()});
  for (std::size_t i = 0; i < x.size(); ++i) {
    const T want = std::exp(x[i]);
    if (std::isnan(want))
      EXPECT_TRUE(std::isnan(got[i]));
    else if (want == 0 || want < std::numeric_limits<T>::min() || std::isinf(want))
      EXPECT_EQ(got[i], want) << x[i];
    else
      EXPECT_NEAR(got[i], want, 4 * std::numeric_limits<T>::epsilon() * want) << x[i];
  }
}
TEST(TypedFunctions, ExponentialsOfFarNumbers) {
  check_far_exponentials<float>(-104);
  check_far_exponentials<double>(-746);
}

template <class T>
void check_integer_powers() {
  const auto most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
  std::vector<T> x, y;
  for (const T base : {T{0}, T{1}, T{-1}, T{2}, T{-3}, T{7}, T{-10}, most, least})
    for (const T exponent : {T{0}, T{1}, T{2}, T{3}, T{20}, T{31}, T{63}, T{100}, most, T{-1}, T{-2}, least}) {
      if (base == 0 && exponent < 0) continue;
      for (int i = 0; i < 3; ++i) {
        x.push_back(base);
        y.push_back(exponent);
      }
    }
  const Shape dims = {static_cast<std::int64_t>(x.size())};
  const auto got = run<T>(TypedOp::Pow, {dims, dims}, dims, {x.data(), y.data()});
  using U = std::make_unsigned_t<T>;
  for (std::size_t i = 0; i < x.size(); ++i) {
    T want = 0;
    if (y[i] < 0) {
      want = x[i] == 1 ? T{1} : x[i] == -1 ? (y[i] % 2 == 0 ? T{1} : T{-1}) : T{0};
    } else {
      U power = 1, square = static_cast<U>(x[i]);
      for (U e = static_cast<U>(y[i]); e != 0; e /= 2, square *= square)
        if (e % 2 == 1) power *= square;
      want = static_cast<T>(power);
    }
    ASSERT_EQ(got[i], want) << x[i] << " to " << y[i];
  }
  // By one exponent in every place.
  for (const int exponent : {0, 1, 2, 3, 5, 12, 63}) {
    std::vector<T> same(x.size(), static_cast<T>(exponent));
    const auto powers = run<T>(TypedOp::Pow, {dims, dims}, dims, {x.data(), same.data()});
    for (std::size_t i = 0; i < x.size(); ++i) {
      U power = 1;
      for (int e = 0; e < exponent; ++e) power *= static_cast<U>(x[i]);
      ASSERT_EQ(powers[i], static_cast<T>(power)) << x[i] << " to " << exponent;
    }
  }
  std::vector<T> zeros(300, T{0}), exponents(300, T{2});
  exponents[200] = T{-1};
  const TypedConfig config{.op = TypedOp::Pow, .type = TypeOf<T>::type, .inputs = {{300}, {300}}, .out = {300}};
  Constants constants;
  std::vector<T> out(300);
  void* operands[] = {zeros.data(), exponents.data(), out.data()};
  EXPECT_THROW(typed_candidates()[0].make(config, constants)->run(operands, nullptr), Error);
}
TEST(TypedPow, Integers) {
  check_integer_powers<std::int32_t>();
  check_integer_powers<std::int64_t>();
}
TEST(TypedPow, Double) {
  std::mt19937_64 engine(8);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  std::vector<double> x, y;
  const auto add = [&](double base, double exponent) {
    x.push_back(base);
    y.push_back(exponent);
  };
  for (int i = 0; i < 4000; ++i) {
    add(std::exp(10 * uniform(engine)), 10 * uniform(engine));
    add(1 + uniform(engine) / 2, 1000 * uniform(engine));
    add(1 + uniform(engine) * 1e-6, 1e8 * uniform(engine));
    add(std::ldexp(1.5 + uniform(engine) / 2, static_cast<int>(1020 * uniform(engine))), uniform(engine));
  }
  const std::size_t plain = x.size();
  for (const double base : {0.0, -0.0, 1.0, -1.0, -2.5, inf, -inf, nan, 1e-310, 1e300})
    for (const double exponent : {0.0, 1.0, -1.0, 2.0, 3.0, 0.5, -1e300, 1e300, inf, -inf, nan}) add(base, exponent);
  const Shape dims = {static_cast<std::int64_t>(x.size())};
  const auto got = run<double>(TypedOp::Pow, {dims, dims}, dims, {x.data(), y.data()});
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double exact = std::pow(static_cast<long double>(x[i]), static_cast<long double>(y[i]));
    const auto want = static_cast<double>(exact);
    if (i >= plain) {
      const double special = std::pow(x[i], y[i]);
      ASSERT_TRUE(std::isnan(special) ? std::isnan(got[i]) : got[i] == special) << x[i] << " to " << y[i];
      continue;
    }
    const double unit = std::nextafter(want, inf) - want;
    ASSERT_LE(std::abs(static_cast<long double>(got[i]) - exact), unit) << x[i] << " to " << y[i];
  }
  // One exponent for all; among the bases, numbers of both signs.
  for (const double exponent : {0.5, -0.5, 0.7, 4.0, -5.0}) {
    std::vector<double> bases = {0.0, -0.0, inf, -inf, nan, 1e-310, -1e-310};
    for (int i = 0; i < 500; ++i) bases.push_back(20 * uniform(engine));
    std::vector<double> exponents(bases.size(), exponent);
    const Shape all = {static_cast<std::int64_t>(bases.size())};
    const auto powers = run<double>(TypedOp::Pow, {all, all}, all, {bases.data(), exponents.data()});
    for (std::size_t i = 0; i < bases.size(); ++i) {
      const double want = std::pow(bases[i], exponent);
      if (std::isnan(want))
        ASSERT_TRUE(std::isnan(powers[i])) << bases[i] << " to " << exponent;
      else
        ASSERT_TRUE(powers[i] == want || std::abs(powers[i] - want) <= 4e-16 * std::abs(want))
            << bases[i] << " to " << exponent;
      ASSERT_TRUE(want != 0 || std::signbit(powers[i]) == std::signbit(want)) << bases[i] << " to " << exponent;
    }
  }
  // Integers are exact.
  x.clear();
  y.clear();
  for (int base = 1; base <= 40; ++base)
    for (int exponent = 0; exponent <= 9; ++exponent) add(base, exponent);
  const Shape squares = {static_cast<std::int64_t>(x.size())};
  const auto whole = run<double>(TypedOp::Pow, {squares, squares}, squares, {x.data(), y.data()});
  for (std::size_t i = 0; i < x.size(); ++i) {
    double want = 1;
    for (int k = 0; k < static_cast<int>(y[i]); ++k) want *= x[i];
    ASSERT_EQ(whole[i], want) << x[i] << " to " << y[i];
  }
}

TEST(PowerOfTypes, BroadcastsAndRoundsOnce) {
  const Shape out = {3, 5, 700};
  std::vector<float> x = random_floats(3 * 5 * 700, 4, 0.1f, 3);
  std::vector<std::uint16_t> half(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) half[i] = base::float_to_half(x[i]);
  std::vector<std::int64_t> by(700);
  for (std::size_t i = 0; i < by.size(); ++i) by[i] = static_cast<std::int64_t>(i % 11) - 5;
  for (const Shape& dims : {Shape{700}, Shape{5, 1}, Shape{}}) {
    const PowerConfig c{DataType::Float, DataType::Int64, out, dims, out};
    ASSERT_EQ(power_candidates()[0].refuses(c), "");
    PowerConfig of_half = c;
    of_half.base = DataType::Float16;
    Constants constants;
    for (std::int64_t& first : by) first = dims.empty() ? 3 : first;
    const auto got = run_at_widths(*power_candidates()[0].make(c, constants), {x.data(), by.data()}, x);
    const auto halves = run_at_widths(*power_candidates()[0].make(of_half, constants), {half.data(), by.data()}, half);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const std::int64_t e = by[dims.empty() ? 0 : dims.size() == 1 ? i % 700 : i / 700 % 5];
      ASSERT_NEAR(got[i] / std::pow(static_cast<double>(x[i]), static_cast<double>(e)), 1, 2e-7);
      ASSERT_EQ(halves[i], base::float_to_half(static_cast<float>(
                               std::pow(static_cast<double>(base::half_to_float(half[i])), static_cast<double>(e)))));
    }
  }
}

// Squares and cubes of integers by one number: exact where a double is, and else what the double is cut to.
template <class T>
void check_integer_powers(DataType type, std::int64_t most) {
  std::vector<T> x = {0, 1, -1, 2, -3, 181, -181, 1290, -1291};
  for (T v = 1; static_cast<std::int64_t>(v) < most / 3 - 1; v = static_cast<T>(v * 3 + 1))
    x.insert(x.end(), {v, static_cast<T>(-v)});
  for (const float exponent : {2.0f, 3.0f}) {
    // Of all, of those whose powers fit, and of small ones alone.
    for (const std::int64_t below : {most, std::int64_t{2000000}, std::int64_t{1300}}) {
      std::vector<T> some;
      for (const T v : x)
        if (std::pow(std::abs(static_cast<double>(v)), static_cast<double>(exponent)) < 0x1p63 && std::abs(v) < below)
          some.push_back(v);
      const Shape out = {static_cast<std::int64_t>(some.size())};
      const PowerConfig c{type, DataType::Float, out, {}, out};
      Constants constants;
      float by = exponent;
      ASSERT_EQ(power_candidates()[0].refuses(c), "");
      const auto got = run_at_widths(*power_candidates()[0].make(c, constants), {some.data(), &by}, some);
      for (std::size_t i = 0; i < some.size(); ++i) {
        const double want = std::pow(static_cast<double>(some[i]), static_cast<double>(exponent));
        ASSERT_EQ(got[i], static_cast<T>(static_cast<std::int64_t>(want))) << some[i] << " to the power of " << by;
      }
    }
  }
}
TEST(PowerOfTypes, IntegersByOneNumber) {
  check_integer_powers<std::int32_t>(DataType::Int32, std::int64_t{1} << 31);
  check_integer_powers<std::int64_t>(DataType::Int64, std::int64_t{1} << 40);
}

template <class T>
void check_remainders() {
  std::mt19937_64 engine(4);
  std::uniform_real_distribution<double> exponent(-30, 30), mantissa(-2, 2);
  std::vector<T> a, b;
  for (int i = 0; i < 20000; ++i) {
    a.push_back(static_cast<T>(mantissa(engine) * std::exp2(exponent(engine))));
    b.push_back(static_cast<T>(mantissa(engine) * std::exp2(exponent(engine))));
    a.push_back(b.back() * static_cast<T>(i % 1000));  // no remainder, or nearly
    b.push_back(b.back());
  }
  for (T odd : {T{0}, std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN(), T{-3}}) {
    a.insert(a.end(), {odd, T{5}, odd, -T{0}});
    b.insert(b.end(), {T{3}, odd, odd, T{2}});
  }
  const Shape dims = {static_cast<std::int64_t>(a.size())};
  const auto got = run<T>(TypedOp::Fmod, {dims, dims}, dims, {a.data(), b.data()});
  for (std::size_t i = 0; i < a.size(); ++i) {
    const T want = std::fmod(a[i], b[i]);
    if (std::isnan(want))
      ASSERT_TRUE(std::isnan(got[i]));
    else
      ASSERT_TRUE(got[i] == want && std::signbit(got[i]) == std::signbit(want)) << a[i] << " " << b[i];
  }
}
TEST(TypedFmod, IsExact) {
  check_remainders<float>();
  check_remainders<double>();
}

TEST(TypedHalf, IsComputedInFloatAndRoundedOnce) {
  std::vector<std::uint16_t> a, b, c;
  for (int i = 0; i < 3000; ++i) {
    a.push_back(base::float_to_half(static_cast<float>(i) * 0.37f));
    b.push_back(base::float_to_half(1.0f / static_cast<float>(i + 1)));
    c.push_back(base::float_to_half(60000.0f - static_cast<float>(i)));
  }
  const TypedConfig config{
      .op = TypedOp::Mean, .type = DataType::Float16, .inputs = {{3000}, {3000}, {3000}}, .out = {3000}};
  Constants constants;
  const auto got = run_at_widths(*typed_candidates()[0].make(config, constants), {a.data(), b.data(), c.data()},
                                 std::vector<std::uint16_t>(3000));
  for (std::size_t i = 0; i < got.size(); ++i) {
    const float sum = base::half_to_float(a[i]) + base::half_to_float(b[i]) + base::half_to_float(c[i]);
    ASSERT_EQ(got[i], base::float_to_half(sum / 3));
  }
}

// All numbers of both half types against the same operation in float.
TEST(TypedHalf, GoesByBits) {
  for (const DataType type : {DataType::Float16, DataType::BFloat16}) {
    std::vector<std::uint16_t> x(65536);
    std::iota(x.begin(), x.end(), std::uint16_t{0});
    const auto number = [type](std::uint16_t bits) { return base::small_float_to_float(type, bits); };
    const Shape dims{65536};
    Constants constants;
    const auto run_one = [&]<class Out>(TypedOp op, float a, float b, Out) {
      const TypedConfig config{.op = op, .type = type, .inputs = {dims}, .out = dims, .a = a, .b = b};
      return run_at_widths(*typed_candidates()[0].make(config, constants), {x.data()}, std::vector<Out>(65536));
    };
    for (const TypedOp op : {TypedOp::Neg, TypedOp::Abs, TypedOp::Sign, TypedOp::Relu}) {
      const auto got = run_one(op, 0, 0, std::uint16_t{});
      for (std::size_t i = 0; i < x.size(); ++i) {
        const float v = number(x[i]), sign = v > 0 ? 1.0f : v < 0 ? -1.0f : v, relu = v < 0 ? 0.0f : v;
        const float want = op == TypedOp::Neg    ? -v
                           : op == TypedOp::Abs  ? std::fabs(v)
                           : op == TypedOp::Sign ? sign
                                                 : relu;
        if (std::isnan(v))
          ASSERT_TRUE(std::isnan(number(got[i]))) << i;
        else
          ASSERT_TRUE(number(got[i]) == want && std::signbit(number(got[i])) == std::signbit(want)) << i;
      }
    }
    const auto nan = run_one(TypedOp::IsNaN, 0, 0, std::uint8_t{});
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(nan[i], std::isnan(number(x[i])) ? 1 : 0) << i;
    for (const float low : {0.0f, 1.0f})
      for (const float high : {0.0f, 1.0f}) {
        const auto infinite = run_one(TypedOp::IsInf, low, high, std::uint8_t{});
        for (std::size_t i = 0; i < x.size(); ++i) {
          const float v = number(x[i]);
          ASSERT_EQ(infinite[i], std::isinf(v) && (v < 0 ? low : high) != 0 ? 1 : 0) << i;
        }
      }
  }
}

TEST(TypedSpecial, AreFound) {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  std::vector<float> x = {0, nan, inf, -inf, 1};
  const auto find = [&](TypedOp op, float a, float b) {
    const TypedConfig config{.op = op, .type = DataType::Float, .inputs = {{5}}, .out = {5}, .a = a, .b = b};
    Constants constants;
    return run_at_widths(*typed_candidates()[0].make(config, constants), {x.data()}, std::vector<std::uint8_t>(5, 7));
  };
  using Bits = std::vector<std::uint8_t>;
  EXPECT_EQ(find(TypedOp::IsNaN, 0, 0), (Bits{0, 1, 0, 0, 0}));
  EXPECT_EQ(find(TypedOp::IsInf, 1, 1), (Bits{0, 0, 1, 1, 0}));
  EXPECT_EQ(find(TypedOp::IsInf, 1, 0), (Bits{0, 0, 0, 1, 0}));
}

}  // namespace
}  // namespace norn::kernels
