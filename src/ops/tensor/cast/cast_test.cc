// Cast against independent truths: the nearest code found by search over all codes of a format, integers of C++, and a
// table of special cases taken from the standard's text and from NumPy and ml_dtypes.
#include "ops/tensor/cast/cast.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number.h"
#include "ops/common/elements.h"
#include "ops/common/slice_test.h"

namespace norn::ops::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
using transform::make_attr;

Attributes to(DataType type) { return {make_attr("to", static_cast<std::int64_t>(type))}; }
Tensor cast(const Tensor& x, DataType type) { return run_and_check(Cast, 28, to(type), {x})[0].tensor(); }
std::vector<double> cast_doubles(const Tensor& x, DataType type) { return doubles(cast(x, type)); }
std::vector<std::string> strings(const Tensor& t) { return {t.as<std::string>(), t.as<std::string>() + t.size()}; }
std::vector<DataType> types_where(bool (*wanted)(DataType)) {
  std::vector<DataType> found;
  for (int n = 1; n < kDataTypeCount; ++n) {
    const auto type = static_cast<DataType>(n);
    if (Cast.history.back().types[0].set.allows_tensor(type) && wanted(type)) found.push_back(type);
  }
  return found;
}

// NaN equals NaN, and zeros of different sign differ.
void expect_same(const std::vector<double>& got, const std::vector<double>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want[i]))
      EXPECT_TRUE(std::isnan(got[i])) << i << ": " << got[i];
    else
      EXPECT_TRUE(got[i] == want[i] && std::signbit(got[i]) == std::signbit(want[i]))
          << i << ": " << got[i] << ", not " << want[i];
  }
}

TEST(Cast, EveryPairKeepsSmallIntegers) {
  const auto all = types_where([](DataType) { return true; });
  for (const DataType a : all) {
    for (const DataType b : all) {
      SCOPED_TRACE(std::string(data_type_name(a)) + " to " + std::string(data_type_name(b)));
      // E8M0 has no zero, bool is written as a word, a floating numeral is no plain integer.
      const bool zero = a != DataType::Float8E8M0 && b != DataType::Float8E8M0;
      const std::vector<double> values = {zero ? 0.0 : 1.0, 1, 1};
      Tensor x(a, {3});
      if (a == DataType::String) {
        for (int i = 0; i < 3; ++i)
          x.as_mutable<std::string>()[i] = values[static_cast<std::size_t>(i)] != 0 ? "1" : "0";
      } else {
        x = tensor_of(a, {3}, values);
      }
      const Tensor y = cast(x, b);
      ASSERT_EQ(y.dtype(), b);
      if (b == DataType::String) {
        const auto text = strings(y);
        const char* one = a == DataType::Bool                                    ? "True"
                          : a == DataType::String || domain_of(a) != Domain::F64 ? "1"
                                                                                 : "1.0";
        EXPECT_EQ(text[1], one);
      } else {
        EXPECT_EQ(doubles(y), values);
      }
    }
  }
}

TEST(Cast, FloatsRoundToTheNearestCode) {
  for (const DataType type : types_where([](DataType t) {
         return domain_of(t) == Domain::F64 && element_size(t) < 4 && t != DataType::Float8E8M0;
       })) {
    SCOPED_TRACE(data_type_name(type));
    struct Code {
      double value;
      std::uint32_t bits;
    };
    std::vector<Code> codes;  // finite, positive
    const std::uint32_t sign = 1u << (storage_bits(type) - 1);
    for (std::uint32_t bits = 0; bits < sign; ++bits) {
      const double v = base::small_float_to_float(type, static_cast<std::uint16_t>(bits));
      if (std::isfinite(v)) codes.push_back({v, bits});
    }
    std::vector<double> values, want;
    std::mt19937 generator(5);
    const auto add = [&](double v) {
      const auto above =
          std::lower_bound(codes.begin(), codes.end(), v, [](const Code& c, double x) { return c.value < x; });
      if (above == codes.end()) return;
      const Code b = *above, a = above == codes.begin() ? b : above[-1];
      const double down = v - a.value, up = b.value - v;
      values.push_back(v);
      want.push_back(down < up || (down == up && a.bits % 2 == 0) ? a.value : b.value);
      values.push_back(-v);
      // The FNUZ formats have one zero.
      const bool unsigned_zero = type == DataType::Float8E4M3FNUZ || type == DataType::Float8E5M2FNUZ;
      want.push_back(want.back() == 0 && unsigned_zero ? 0.0 : -want.back());
    };
    for (int k = 0; k < 2000; ++k) {
      const Code& c = codes[generator() % (codes.size() - 1)];
      const double next = (&c)[1].value, middle = (c.value + next) / 2;
      for (const double v : {c.value, middle, std::nextafter(middle, next), std::nextafter(middle, 0),
                             c.value + (next - c.value) * (generator() / 4294967296.0)}) {
        add(v);
      }
    }
    const auto n = static_cast<std::int64_t>(values.size());
    expect_same(cast_doubles(tensor<double>({n}, values), type), want);
    // Widening gives the value back exactly.
    const Tensor narrow = tensor_of(type, {n}, values);
    EXPECT_EQ(doubles(cast(narrow, DataType::Double)), doubles(narrow));
    EXPECT_EQ(doubles(cast(cast(narrow, DataType::Float), type)), doubles(narrow));
  }
}

TEST(Cast, OutOfRangeFloats) {
  const Tensor x =
      tensor<float>({5}, {static_cast<float>(kInf), -static_cast<float>(kInf), static_cast<float>(kNan), 1e9f, -1e9f});
  const auto saturating = [&](DataType type) { return cast_doubles(x, type); };
  const auto otherwise = [&](DataType type) {
    Attributes attrs = to(type);
    attrs.push_back(make_attr("saturate", std::int64_t{0}));
    return doubles(run(Cast, 28, attrs, {x})[0].tensor());
  };
  expect_same(saturating(DataType::Float8E4M3FN), {448, -448, kNan, 448, -448});
  expect_same(saturating(DataType::Float8E4M3FNUZ), {240, -240, kNan, 240, -240});
  expect_same(saturating(DataType::Float8E5M2), {57344, -57344, kNan, 57344, -57344});
  expect_same(saturating(DataType::Float8E5M2FNUZ), {57344, -57344, kNan, 57344, -57344});
  expect_same(otherwise(DataType::Float8E4M3FN), {kNan, kNan, kNan, kNan, kNan});
  expect_same(otherwise(DataType::Float8E4M3FNUZ), {kNan, kNan, kNan, kNan, kNan});
  expect_same(otherwise(DataType::Float8E5M2), {kInf, -kInf, kNan, kInf, -kInf});
  expect_same(otherwise(DataType::Float8E5M2FNUZ), {kNan, kNan, kNan, kNan, kNan});
  expect_same(saturating(DataType::Float16), {kInf, -kInf, kNan, kInf, -kInf});
  expect_same(saturating(DataType::BFloat16), {kInf, -kInf, kNan, 998244352.0, -998244352.0});
  expect_same(saturating(DataType::Float4E2M1), {6, -6, -0.0, 6, -6});
  expect_same(saturating(DataType::Float6E2M3), {7.5, -7.5, -0.0, 7.5, -7.5});
  expect_same(saturating(DataType::Float6E3M2), {28, -28, -0.0, 28, -28});
  expect_same(cast_doubles(tensor<double>({2}, {1e300, -1e300}), DataType::Float), {kInf, -kInf});
}

TEST(Cast, E8M0RoundingModes) {
  const Tensor x = tensor<double>({9}, {1, 1.25, 1.5, 1.75, 2, 0.1, kNan, 0x1p127, 0x1p-127});
  const auto get = [](const Tensor& t, const char* mode, std::int64_t saturate) {
    Attributes attrs = to(DataType::Float8E8M0);
    attrs.push_back(make_attr("round_mode", std::string(mode)));
    attrs.push_back(make_attr("saturate", saturate));
    return doubles(run(Cast, 24, attrs, {t})[0].tensor());
  };
  for (const std::int64_t saturate : {0, 1}) {
    expect_same(get(x, "up", saturate), {1, 2, 2, 2, 2, 0.125, kNan, 0x1p127, 0x1p-127});
    expect_same(get(x, "down", saturate), {1, 1, 1, 1, 2, 0.0625, kNan, 0x1p127, 0x1p-127});
    expect_same(get(x, "nearest", saturate), {1, 1, 2, 2, 2, 0.125, kNan, 0x1p127, 0x1p-127});
  }
  const Tensor beyond = tensor<double>({5}, {0, -0.0, 1e-40, kInf, 1e39});
  for (const char* mode : {"up", "down", "nearest"}) {
    expect_same(get(beyond, mode, 1), {0x1p-127, 0x1p-127, 0x1p-127, 0x1p127, 0x1p127});
    expect_same(get(beyond, mode, 0), {kNan, kNan, kNan, kNan, kNan});
  }
  const Tensor near_top = tensor<double>({1}, {0x1.4p127});  // rounds first, then is or is not in range
  expect_same(get(near_top, "down", 0), {0x1p127});
  expect_same(get(near_top, "nearest", 0), {0x1p127});
  expect_same(get(near_top, "up", 0), {kNan});
  expect_same(get(near_top, "up", 1), {0x1p127});
  EXPECT_THROW(get(x, "sideways", 1), Error);
}

TEST(Cast, IntegersDiscardHigherBits) {
  std::vector<std::int64_t> values = {0,
                                      1,
                                      -1,
                                      127,
                                      128,
                                      -128,
                                      -129,
                                      200,
                                      255,
                                      256,
                                      65535,
                                      65536,
                                      2147483647,
                                      2147483648,
                                      -2147483649,
                                      std::numeric_limits<std::int64_t>::max(),
                                      std::numeric_limits<std::int64_t>::min()};
  const Tensor x = tensor<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
  for (const DataType type : types_where([](DataType t) {
         return (domain_of(t) == Domain::I64 || domain_of(t) == Domain::U64) && t != DataType::Bool;
       })) {
    SCOPED_TRACE(data_type_name(type));
    const int bits = storage_bits(type);
    const bool is_signed = domain_of(type) == Domain::I64;
    const Tensor y = cast(x, type);
    for (std::size_t i = 0; i < values.size(); ++i) {
      __int128 want = static_cast<__int128>(values[i]) & ((static_cast<__int128>(1) << bits) - 1);
      if (is_signed && want >> (bits - 1)) want -= static_cast<__int128>(1) << bits;
      if (is_signed)
        EXPECT_EQ(load_all<std::int64_t>(y)[i], static_cast<std::int64_t>(want));
      else
        EXPECT_EQ(load_all<std::uint64_t>(y)[i], static_cast<std::uint64_t>(want));
    }
  }
  EXPECT_EQ(cast_doubles(tensor_of(DataType::Int4, {2}, {-1, -8}), DataType::Uint8), (std::vector<double>{255, 248}));
}

TEST(Cast, LargeIntegersRoundOnce) {
  std::mt19937_64 generator(3);
  std::vector<std::int64_t> values = {
      (std::int64_t{1} << 62) + (std::int64_t{1} << 38) + 1, std::numeric_limits<std::int64_t>::max(),
      std::numeric_limits<std::int64_t>::min(), -((std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1)};
  for (int k = 0; k < 500; ++k) values.push_back(static_cast<std::int64_t>(generator()) >> (k % 30));
  const auto n = static_cast<std::int64_t>(values.size());
  const Tensor x = tensor<std::int64_t>({n}, values);
  const Tensor f = cast(x, DataType::Float), d = cast(x, DataType::Double),
               u = cast(cast(x, DataType::Uint64), DataType::Float);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t v = values[static_cast<std::size_t>(i)];
    EXPECT_EQ(f.as<float>()[i], static_cast<float>(v));
    EXPECT_EQ(d.as<double>()[i], static_cast<double>(v));
    EXPECT_EQ(u.as<float>()[i], static_cast<float>(static_cast<std::uint64_t>(v)));
  }
  // 1 + 2^-8 is a tie of bfloat16 and would round to 1; the bit far below must push it up.
  const Tensor tie = tensor<std::int64_t>({1}, {(std::int64_t{1} << 60) + (std::int64_t{1} << 52) + 1});
  EXPECT_EQ(cast_doubles(tie, DataType::BFloat16)[0], 0x1p60 + 0x1p53);
}

TEST(Cast, FloatsToIntegersDropTheFraction) {
  const Tensor x = tensor<float>({4}, {-5.7f, 5.7f, -0.9f, 3.0f});
  for (const DataType type : {DataType::Int8, DataType::Int16, DataType::Int32, DataType::Int64, DataType::Int4}) {
    EXPECT_EQ(cast_doubles(x, type), (std::vector<double>{-5, 5, 0, 3}));
  }
  EXPECT_EQ(cast_doubles(tensor<float>({3}, {200.3f, 255.9f, -9.0f}), DataType::Uint8),
            (std::vector<double>{200, 255, 247}));
  EXPECT_EQ(cast_doubles(tensor<float>({4}, {-9, 8, 15, 200.3f}), DataType::Int4),
            (std::vector<double>{7, -8, -1, -8}));
  EXPECT_EQ(cast_doubles(tensor<float>({4}, {-9, 8, 15, 17}), DataType::Uint4), (std::vector<double>{7, 8, 15, 1}));
  EXPECT_EQ(cast_doubles(tensor<float>({4}, {-3, 2, 1, 3}), DataType::Int2), (std::vector<double>{1, -2, 1, -1}));

  const Tensor odd = tensor<double>({5}, {kNan, kInf, -kInf, 1e30, -1e30});
  const Tensor wide = cast(odd, DataType::Int64);
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max(), kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(load_all<std::int64_t>(wide), (std::vector<std::int64_t>{0, kMost, kLeast, kMost, kLeast}));
  EXPECT_EQ(cast_doubles(odd, DataType::Int32),
            (std::vector<double>{0, 2147483647, -2147483648.0, 2147483647, -2147483648.0}));
  const auto narrow = cast_doubles(odd, DataType::Int8);
  EXPECT_EQ(narrow[0], 0);
  EXPECT_EQ(narrow[1], 0);
  EXPECT_EQ(narrow[2], 0);
  const Tensor top = cast(tensor<double>({2}, {0x1p63, 18446744073709549568.0}), DataType::Uint64);
  EXPECT_EQ(top.as<std::uint64_t>()[0], std::uint64_t{1} << 63);
  EXPECT_EQ(top.as<std::uint64_t>()[1], 18446744073709549568ull);
}

TEST(Cast, ToBool) {
  expect_same(cast_doubles(tensor<float>({5}, {0.0f, -0.0f, 0.1f, static_cast<float>(kNan), -1e-40f}), DataType::Bool),
              {0, 0, 1, 1, 1});
  expect_same(cast_doubles(tensor<std::int64_t>({3}, {0, 256, std::int64_t{1} << 40}), DataType::Bool), {0, 1, 1});
  expect_same(cast_doubles(tensor_of(DataType::Bool, {2}, {0, 1}), DataType::Float16), {0, 1});
}

TEST(Cast, StringsToNumbers) {
  const auto read = [](std::vector<std::string> text, DataType type) {
    return cast_doubles(tensor<std::string>({static_cast<std::int64_t>(text.size())}, text), type);
  };
  expect_same(read({"3.14", "1000", "1e-5", "1E8", "+7", " -2.5\n", ".5", "5.", "-0"}, DataType::Double),
              {3.14, 1000, 1e-5, 1e8, 7, -2.5, 0.5, 5, -0.0});
  expect_same(read({"INF", "+INF", "-INF", "NaN", "inf", "-iNf", "nan", "Infinity"}, DataType::Float),
              {kInf, kInf, -kInf, kNan, kInf, -kInf, kNan, kInf});
  expect_same(read({"1e400", "-1e400", "1e-400", "-1e-9999999999999999999999", "0.000000001e-400", "123456789e400"},
                   DataType::Double),
              {kInf, -kInf, 0.0, -0.0, 0.0, kInf});
  expect_same(read({"7", "-7", "100.5", "1e2"}, DataType::Int32), {7, -7, 100, 100});
  expect_same(read({"1", "0", "True", "false", "-3", "0.5"}, DataType::Bool), {1, 0, 1, 0, 1, 1});
  expect_same(read({"448.9", "1e9", "0.47892547"}, DataType::Float8E4M3FN), {448, 448, 0.46875});
  const Tensor wide = cast(tensor<std::string>({2}, {"9223372036854775807", "-9223372036854775808"}), DataType::Int64);
  EXPECT_EQ(wide.as<std::int64_t>()[0], std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(wide.as<std::int64_t>()[1], std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(*cast(tensor<std::string>({1}, {"18446744073709551615"}), DataType::Uint64).as<std::uint64_t>(),
            ~std::uint64_t{0});
  for (const char* text : {"", "abc", "1.2.3", "0x10", "+-1", "--1", "1 2", "1e", "true"}) {
    EXPECT_THROW(run(Cast, 28, to(DataType::Float), {tensor<std::string>({1}, {text})}), Error) << text;
  }
}

TEST(Cast, NumbersToStrings) {
  using Strings = std::vector<std::string>;
  EXPECT_EQ(
      strings(cast(tensor<float>({11}, {0.1f, 1, 1e-5f, 123456.789f, 1e20f, 314.15926f, -0.0f, 0.33333333f,
                                        static_cast<float>(kInf), -static_cast<float>(kInf), static_cast<float>(kNan)}),
                   DataType::String)),
      (Strings{"0.1", "1.0", "1e-05", "123456.79", "1e+20", "314.15927", "-0.0", "0.33333334", "inf", "-inf", "nan"}));
  EXPECT_EQ(
      strings(cast(tensor<double>({9}, {0.1, 1e-4, 1e15, 1e16, 1.5e-7, 1.0 / 3, 5e-324, 1.7976931348623157e308, -12.5}),
                   DataType::String)),
      (Strings{"0.1", "0.0001", "1000000000000000.0", "1e+16", "1.5e-07", "0.3333333333333333", "5e-324",
               "1.7976931348623157e+308", "-12.5"}));
  EXPECT_EQ(strings(cast(tensor_of(DataType::Float16, {4}, {0.1, 1.0 / 3, 999, 6e-8}), DataType::String)),
            (Strings{"0.1", "0.3333", "999.0", "6e-08"}));
  EXPECT_EQ(strings(cast(tensor<std::int64_t>({2}, {std::numeric_limits<std::int64_t>::min(), 7}), DataType::String)),
            (Strings{"-9223372036854775808", "7"}));
  EXPECT_EQ(strings(cast(tensor_of(DataType::Bool, {2}, {1, 0}), DataType::String)), (Strings{"True", "False"}));
  EXPECT_EQ(strings(cast(tensor_of(DataType::Int4, {2}, {-8, 7}), DataType::String)), (Strings{"-8", "7"}));
}

TEST(Cast, StringsReadBackAsTheSameElement) {
  for (const DataType type :
       types_where([](DataType t) { return t != DataType::String && t != DataType::Float8E8M0; })) {
    SCOPED_TRACE(data_type_name(type));
    Tensor x = random_tensor(type, {200}, 11);
    if (domain_of(type) == Domain::F64) {
      std::vector<double> v = doubles(x);
      for (std::size_t i = 0; i < v.size(); ++i) v[i] *= std::pow(10.0, static_cast<double>(i % 40) - 20);
      x = tensor_of(type, {200}, v);
    }
    expect_same(doubles(cast(cast(x, DataType::String), type)), doubles(x));
  }
}

TEST(Cast, EmptyAndScalar) {
  EXPECT_EQ(cast(tensor<float>({2, 0}, {}), DataType::String).dims(), (Shape{2, 0}));
  EXPECT_EQ(cast(tensor<std::int64_t>({}, {3}), DataType::Float).dims(), Shape{});
  EXPECT_EQ(cast(random_tensor(DataType::Float, {3000}, 1), DataType::Double).size(), 3000);
}

TEST(Cast, Inference) {
  EXPECT_EQ(infer(Cast, 13, to(DataType::Float16), {type("float[N,2]")}).types[0].to_string(), "float16[N,2]");
  EXPECT_EQ(infer(Cast, 13, to(DataType::Int32), {type("float")}).types[0].elem, DataType::Int32);
  EXPECT_EQ(
      infer(Cast, 13, to(DataType::Int32), {type("int64[2]")}, {tensor<std::int64_t>({2}, {4, 5})}).values[0].ints,
      (opset::Dims{4, 5}));
  EXPECT_FALSE(
      infer(Cast, 13, to(DataType::Int32), {type("int64[1]")}, {tensor<std::int64_t>({1}, {std::int64_t{1} << 40})})
          .values[0]
          .ints.has_value());
  EXPECT_EQ(infer(Cast, 1, {make_attr("to", std::string("INT64"))}, {type("float[2]")}).types[0].to_string(),
            "int64[2]");
  EXPECT_THROW(infer(Cast, 13, to(static_cast<DataType>(99)), {type("float[2]")}), Error);
  EXPECT_THROW(infer(Cast, 13, to(DataType::Int4), {type("float[2]")}), Error);  // int4 came with 21
  EXPECT_THROW(infer(Cast, 1, {make_attr("to", std::string("NUMBER"))}, {type("float[2]")}), Error);
  EXPECT_THROW(infer(Cast, 13, to(DataType::Complex64), {type("float[2]")}), Error);
}

TEST(Cast, OldVersions) {
  const Tensor x = tensor<float>({2}, {1.7f, -1.7f});
  const Attributes named = {make_attr("to", std::string("INT32"))};
  EXPECT_EQ(doubles(run_lifted(Cast, 1, named, {x})[0].tensor()), (std::vector<double>{1, -1}));
  EXPECT_EQ(doubles(run(Cast, 1, named, {x})[0].tensor()), (std::vector<double>{1, -1}));
  for (const int opset : {6, 9, 13, 19, 21, 23, 24, 25, 28}) {
    EXPECT_EQ(doubles(run_lifted(Cast, opset, to(DataType::Int32), {x})[0].tensor()), (std::vector<double>{1, -1}))
        << opset;
    EXPECT_EQ(doubles(run(Cast, opset, to(DataType::Int32), {x})[0].tensor()), (std::vector<double>{1, -1})) << opset;
  }
}

TEST(Cast, StepsDown) {
  Attributes attrs = to(DataType::BFloat16);
  attrs.push_back(make_attr("saturate", std::int64_t{0}));
  attrs.push_back(make_attr("round_mode", std::string("down")));
  EXPECT_EQ(moved(Cast, 28, 23, attrs, {type("float[2]")}).nodes.at(0).node.attribute.size(), 2u);
  EXPECT_EQ(moved(Cast, 28, 13, attrs, {type("float[2]")}).nodes.at(0).node.attribute.size(), 1u);
  const auto first = moved(Cast, 13, 1, to(DataType::Int64), {type("float[2]")}).nodes.at(0);
  EXPECT_EQ(first.schema->since, 1);
  EXPECT_EQ(opset::Attrs(*first.schema, first.node.attribute).s("to"), "INT64");
  EXPECT_THROW(moved(Cast, 28, 20, to(DataType::Float), {type("int4[2]")}), Error);
}

}  // namespace
}  // namespace norn::ops::test
