// Cast against independent truths: the nearest code found by search over all codes of a format, integers of C++, and a
// table of special cases taken from the standard's text and from NumPy and ml_dtypes.
#include "ops/tensor/cast/cast.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number.h"
#include "ops/common/case.h"
#include "ops/common/elements.h"
#include "ops/common/slice_test.h"

namespace norn::ops::test {
inline namespace cast_test_cc {
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

#define OUT_OF_RANGE "float[5] inf -inf nan 1e9 -1e9"
#define E8M0 "double[9] 1 1.25 1.5 1.75 2 0.1 nan 1.7014118346046923e38 5.877471754111438e-39"
#define BEYOND "double[5] 0 -0 1e-40 inf 1e39"

const cases::Cases all(
    "Cast",
    {
        {"Cast-19.. to=float8e4m3fn", OUT_OF_RANGE, "float8e4m3fn[5] 448 -448 nan 448 -448"},
        {"Cast-19.. to=float8e4m3fnuz", OUT_OF_RANGE, "float8e4m3fnuz[5] 240 -240 nan 240 -240"},
        {"Cast-19.. to=float8e5m2", OUT_OF_RANGE, "float8e5m2[5] 57344 -57344 nan 57344 -57344"},
        {"Cast-19.. to=float8e5m2fnuz", OUT_OF_RANGE, "float8e5m2fnuz[5] 57344 -57344 nan 57344 -57344"},
        {"Cast-19.. to={float8e4m3fn} saturate=0", OUT_OF_RANGE, "float8e4m3fn[5] nan nan nan nan nan"},
        {"Cast-19.. to={float8e4m3fnuz} saturate=0", OUT_OF_RANGE, "float8e4m3fnuz[5] nan nan nan nan nan"},
        {"Cast-19.. to=float8e5m2 saturate=0", OUT_OF_RANGE, "float8e5m2[5] inf -inf nan inf -inf"},
        {"Cast-19.. to=float8e5m2fnuz saturate=0", OUT_OF_RANGE, "float8e5m2fnuz[5] nan nan nan nan nan"},
        {"Cast-6.. to=float16", OUT_OF_RANGE, "float16[5] inf -inf nan inf -inf"},
        {"Cast-13.. to=bfloat16", OUT_OF_RANGE, "bfloat16[5] inf -inf nan 998244352 -998244352"},
        {"Cast-28 to=float4e2m1", OUT_OF_RANGE, "float4e2m1[5] 6 -6 -0 6 -6", {.tolerance = 0}},
        {"Cast-28 to=float6e2m3", OUT_OF_RANGE, "float6e2m3[5] 7.5 -7.5 -0 7.5 -7.5", {.tolerance = 0}},
        {"Cast-28 to=float6e3m2", OUT_OF_RANGE, "float6e3m2[5] 28 -28 -0 28 -28", {.tolerance = 0}},
        {"Cast-6.. to=float", "double[2] 1e300 -1e300", "float[2] inf -inf"},

        {"Cast-24.. to=float8e8m0 round_mode=up saturate={0|1}",
         E8M0,
         "float8e8m0[9] 1 2 2 2 2 0.125 nan 1.7014118346046923e38 5.877471754111438e-39",
         {.tolerance = 0}},
        {"Cast-24.. to=float8e8m0 round_mode=down saturate={0|1}",
         E8M0,
         "float8e8m0[9] 1 1 1 1 2 0.0625 nan 1.7014118346046923e38 5.877471754111438e-39",
         {.tolerance = 0}},
        {"Cast-24.. to=float8e8m0 round_mode=nearest saturate={0|1}",
         E8M0,
         "float8e8m0[9] 1 1 2 2 2 0.125 nan 1.7014118346046923e38 5.877471754111438e-39",
         {.tolerance = 0}},
        {"Cast-24.. to=float8e8m0 round_mode={up|down|nearest}",
         BEYOND,
         "float8e8m0[5] 5.877471754111438e-39 5.877471754111438e-39 5.877471754111438e-39 1.7014118346046923e38 "
         "1.7014118346046923e38",
         {.tolerance = 0}},
        {"Cast-24.. to=float8e8m0 round_mode={up|down|nearest} saturate=0", BEYOND,
         "float8e8m0[5] nan nan nan nan nan"},
        // 1.25 * 2^127 is rounded first, and then is or is not in range.
        {"Cast-24.. to=float8e8m0 round_mode={down|nearest} saturate=0",
         "double[1] 2.1267647932558654e38",
         "float8e8m0[1] 1.7014118346046923e38",
         {.tolerance = 0}},
        {"Cast-24.. to=float8e8m0 round_mode=up saturate=0", "double[1] 2.1267647932558654e38", "float8e8m0[1] nan"},
        {"Cast-24.. to=float8e8m0 round_mode=up",
         "double[1] 2.1267647932558654e38",
         "float8e8m0[1] 1.7014118346046923e38",
         {.tolerance = 0}},
        {"Cast-24 to=float8e8m0 round_mode=sideways", E8M0, "", {.error = "*"}},
        {"Cast-24.. to=float round_mode=sideways", "float[1] 1", "", {.error = "round_mode"}},

        // The fraction is dropped, then higher bits.
        {"Cast to=int8", "float[4] -5.7 5.7 -0.9 3", "int8[4] -5 5 0 3"},
        {"Cast to=int16", "float[4] -5.7 5.7 -0.9 3", "int16[4] -5 5 0 3"},
        {"Cast to=int32", "float[4] -5.7 5.7 -0.9 3", "int32[4] -5 5 0 3"},
        {"Cast to=int64", "float[4] -5.7 5.7 -0.9 3", "int64[4] -5 5 0 3"},
        {"Cast-28 to=int4", "float[4] -5.7 5.7 -0.9 3", "int4[4] -5 5 0 3"},
        {"Cast-28 to=uint8", "float[3] 200.3 255.9 -9", "uint8[3] 200 255 247"},
        {"Cast-28 to=int4", "float[4] -9 8 15 200.3", "int4[4] 7 -8 -1 -8"},
        {"Cast-28 to=uint4", "float[4] -9 8 15 17", "uint4[4] 7 8 15 1"},
        {"Cast-28 to=int2", "float[4] -3 2 1 3", "int2[4] 1 -2 1 -1"},
        {"Cast-28 to=int64", "double[5] nan inf -inf 1e30 -1e30", "int64[5] 0 max min max min"},
        {"Cast-28 to=int32", "double[5] nan inf -inf 1e30 -1e30", "int32[5] 0 max min max min"},
        {"Cast-28 to=int8", "double[3] nan inf -inf", "int8[3] 0 0 0"},
        {"Cast-28 to=uint64", "double[2] 9223372036854775808 18446744073709549568",
         "uint64[2] 9223372036854775808 18446744073709549568"},

        {"Cast to=bool", "float[5] 0 -0 0.1 nan -1e-40", "bool[5] 0 0 1 1 1"},
        {"Cast to=bool", "int64[3] 0 256 1099511627776", "bool[3] 0 1 1"},
        {"Cast to=float16", "bool[2] 0 1", "float16[2] 0 1"},

        {"Cast-28 to=double",
         "string[9] 3.14 1000 1e-5 1E8 +7 \" -2.5\n\" .5 5. -0",
         "double[9] 3.14 1000 1e-5 1e8 7 -2.5 0.5 5 -0",
         {.tolerance = 0}},
        {"Cast-28 to=float", "string[8] INF +INF -INF NaN inf -iNf nan Infinity",
         "float[8] inf inf -inf nan inf -inf nan inf"},
        {"Cast-28 to=double",
         "string[6] 1e400 -1e400 1e-400 -1e-9999999999999999999999 0.000000001e-400 123456789e400",
         "double[6] inf -inf 0 -0 0 inf",
         {.tolerance = 0}},
        {"Cast-28 to=int32", "string[4] 7 -7 100.5 1e2", "int32[4] 7 -7 100 100"},
        {"Cast-28 to=bool", "string[6] 1 0 True false -3 0.5", "bool[6] 1 0 1 0 1 1"},
        {"Cast-28 to=float8e4m3fn",
         "string[3] 448.9 1e9 0.47892547",
         "float8e4m3fn[3] 448 448 0.46875",
         {.tolerance = 0}},
        {"Cast-28 to=int64", "string[2] 9223372036854775807 -9223372036854775808", "int64[2] max min"},
        {"Cast-28 to=uint64", "string[1] 18446744073709551615", "uint64[1] max"},
        {"Cast-28 to=float", "string[1] {\"\"|abc|1.2.3|0x10|+-1|--1|\"1 2\"|1e|true}", "", {.error = "*"}},

        {"Cast-28 to=string", "float[11] 0.1 1 1e-5 123456.789 1e20 314.15926 -0 0.33333333 inf -inf nan",
         "string[11] 0.1 1.0 1e-05 123456.79 1e+20 314.15927 -0.0 0.33333334 inf -inf nan"},
        {"Cast-28 to=string",
         "double[9] 0.1 1e-4 1e15 1e16 1.5e-7 0.333333333333333333 5e-324 1.7976931348623157e308 -12.5",
         "string[9] 0.1 0.0001 1000000000000000.0 1e+16 1.5e-07 0.3333333333333333 5e-324 1.7976931348623157e+308 "
         "-12.5"},
        {"Cast-28 to=string", "float16[4] 0.1 0.3333333333 999 6e-8", "string[4] 0.1 0.3333 999.0 6e-08"},
        {"Cast-28 to=string", "int64[2] min 7", "string[2] -9223372036854775808 7"},
        {"Cast-28 to=string", "bool[2] 1 0", "string[2] True False"},
        {"Cast-28 to=string", "int4[2] -8 7", "string[2] -8 7"},

        {"Cast-28 to=string", "float[2,0]", "string[2,0]"},
        {"Cast-28 to=float", "int64[] 3", "float[] 3"},
        {"Cast-13 to=float16", "float[N,2]", "float16[N,2]"},
        {"Cast-13 to=int32", "float", "int32"},
        {"Cast-13 to=int32", "int64[2] N 5", "int32[2] N 5"},
        {"Cast-13 to=int64", "int32[2] N 5", "int64[2] N 5"},
        {"Cast-13 to=int32", "int64[2] 4 5", "int32[2] 4 5"},
        {"Cast-1 to=INT64", "float[2]", "int64[2]"},
        {"Cast-13 to={99|int4|complex64}", "float[2]", "", {.error = "*"}},  // int4 came with 21
        {"Cast-1 to=NUMBER", "float[2]", "", {.error = "*"}},

        {"Cast-1 to=INT32", "float[2] 1.7 -1.7", "int32[2] 1 -1"},
        {"Cast-6.. to=int32", "float[2] 1.7 -1.7", "int32[2] 1 -1", {.down_to = 1}},
        {"Cast-28 to=bfloat16 saturate=0 round_mode=down",
         "float[2]",
         "",
         {.to = 23, .becomes = "Cast-23 to=16 saturate=0"}},
        {"Cast-28 to=bfloat16 saturate=0 round_mode=down", "float[2]", "", {.to = 13, .becomes = "Cast-13 to=16"}},
        {"Cast-13 to=int64", "float[2]", "", {.to = 1, .becomes = "Cast-1 to=INT64"}},
        {"Cast-28 to=float", "int4[2]", "", {.error = "*", .to = 20}},
    });

TEST(Cast, EveryPairKeepsSmallIntegers) {
  const auto all = types_where([](DataType) { return true; });
  for (const DataType a : all) {
    for (const DataType b : all) {
      SCOPED_TRACE(std::string(data_type_name(a)) + " to " + std::string(data_type_name(b)));
      // E8M0 has no zero, bool is written as a word, a floating numeral is not a plain integer.
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

}  // namespace
}  // namespace cast_test_cc
}  // namespace norn::ops::test
