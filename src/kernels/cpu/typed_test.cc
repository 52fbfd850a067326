// Element-wise operations in every type against their definitions, with broadcasts, and functions against the C
// library's in long double.
#include "kernels/cpu/typed.h"

#include "base/number.h"
#include "kernels/cpu/kernel_test.h"
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
