#include "opset/dim_expr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "norn/error.h"

namespace norn::opset {
namespace {

const DimExpr N = DimExpr::variable("N"), M = DimExpr::variable("M"), H = DimExpr::variable("H");

std::int64_t floor_of(std::int64_t a, std::int64_t b) {
  std::int64_t q = a / b;
  return q * b > a ? q - 1 : q;
}

TEST(DimExpr, Prints) {
  EXPECT_EQ(DimExpr(-3).to_string(), "-3");
  EXPECT_EQ((N + 1).to_string(), "N + 1");
  EXPECT_EQ((1 - N).to_string(), "1 - N");
  EXPECT_EQ((DimExpr(0) - N).to_string(), "-N");
  EXPECT_EQ((2 * N - 3).to_string(), "2*N - 3");
  EXPECT_EQ((N * M * N).to_string(), "M*N^2");
  EXPECT_EQ((M - N).to_string(), "M - N");
  EXPECT_EQ(DimExpr::floor_div(H - 1, 2).to_string(), "floor((H + 1)/2) - 1");
  EXPECT_EQ(DimExpr::floor_div(N * M, H).to_string(), "floor((M*N)/H)");
  EXPECT_EQ(DimExpr::max(N, M).to_string(), "max(M, N)");
  EXPECT_EQ(to_string(Dims{N, 3, 2 * H}), "[N,3,2*H]");
}

TEST(DimExpr, RoundsAsFloatingTypesDo) {
  const auto as_float = [](const DimExpr& e) { return DimExpr::rounded(e, 24); };
  EXPECT_EQ(as_float(N).to_string(), "float(N)");
  EXPECT_EQ(DimExpr::rounded(N, 53).to_string(), "double(N)");
  EXPECT_TRUE(as_float(12 * N) == 4 * as_float(3 * N));  // powers of two change no digit
  EXPECT_TRUE(as_float(4 * as_float(N)) == 4 * as_float(N));
  EXPECT_TRUE(DimExpr::rounded(as_float(N), 53) == as_float(N));
  EXPECT_FALSE(as_float(DimExpr::rounded(N, 53)) == DimExpr::rounded(N, 53));
  EXPECT_TRUE(as_float((1 << 24) + 1) == (1 << 24));
  EXPECT_TRUE(as_float((1 << 24) + 3) == (1 << 24) + 4);  // ties to even
  EXPECT_TRUE(DimExpr::max(as_float(N), 0) == as_float(N));
  EXPECT_TRUE(as_float(N + M).substitute([](std::string_view) { return DimExpr(1 << 23); }) == (1 << 24));
  std::mt19937_64 random(7);
  for (int k = 0; k < 1000; ++k) {
    const auto n = static_cast<std::int64_t>(random() >> (random() % 60 + 2));
    EXPECT_EQ(as_float(5 * N).evaluate([&](std::string_view) { return n / 5; }),
              static_cast<std::int64_t>(static_cast<float>(n / 5 * 5)));
  }
  EXPECT_THROW(as_float(INT64_MAX), Error);
  EXPECT_FALSE(as_float(N).evaluate([](std::string_view) { return INT64_MAX; }));
}

TEST(DimExpr, SomeVariablesAreSigned) {
  const DimExpr any = DimExpr::variable("?3~");
  EXPECT_FALSE(DimExpr::max(any, 0) == any);
  EXPECT_FALSE(DimExpr::max(2 * any + N, N) == 2 * any + N);
  EXPECT_TRUE(DimExpr::max(any * any, 0) == any * any);
}

TEST(DimExpr, EqualWhenWrittenDifferently) {
  EXPECT_TRUE(N - N == 0);
  EXPECT_TRUE((N + 1) * (N - 1) == N * N - 1);
  EXPECT_TRUE((N + M) * 2 == 2 * M + N + N);
  EXPECT_TRUE(N + M == M + N);
  EXPECT_FALSE(N == M);
  EXPECT_FALSE(N == N + 1);
  EXPECT_TRUE(DimExpr::differ(N, N + 1));
  EXPECT_FALSE(DimExpr::differ(N, M));
  EXPECT_TRUE(DimExpr::differ(3, 4));
  EXPECT_TRUE((N * 0).is_constant());
}

TEST(DimExpr, QuotientsCancel) {
  EXPECT_TRUE(DimExpr::floor_div(N * M, M) == N);
  EXPECT_TRUE(DimExpr::floor_div(6 * N, 3) == 2 * N);
  EXPECT_TRUE(DimExpr::floor_div(6 * N + 4, 3) == 2 * N + 1);
  EXPECT_TRUE(DimExpr::floor_div(2 * N + 1, 4) == DimExpr::floor_div(N, 2));
  EXPECT_TRUE(DimExpr::floor_div(DimExpr::floor_div(N, 2), 3) == DimExpr::floor_div(N, 6));
  EXPECT_TRUE(DimExpr::floor_div(DimExpr::floor_div(N + 1, 2) + 1, 2) == DimExpr::floor_div(N + 3, 4));
  EXPECT_TRUE(DimExpr::floor_div(N * M + N, M + 1) == N);
  EXPECT_TRUE(DimExpr::floor_div(N * M + H, M) == N + DimExpr::floor_div(H, M));
  EXPECT_TRUE(DimExpr::floor_div(12 * N * H, 4 * N) == 3 * H);
  EXPECT_TRUE(DimExpr::floor_div(N, N) == 1);
  EXPECT_TRUE(DimExpr::ceil_div(N, 2) == DimExpr::floor_div(N + 1, 2));
  EXPECT_TRUE(DimExpr::mod(3 * N + 7, 3) == 1);
  EXPECT_TRUE(DimExpr::floor_div(7, -2) == -4);
  EXPECT_THROW(DimExpr::floor_div(N, 0), Error);
}

TEST(DimExpr, ExtremesThatAreDecided) {
  EXPECT_TRUE(DimExpr::max(N, 0) == N);
  EXPECT_TRUE(DimExpr::min(N, 0) == 0);
  EXPECT_TRUE(DimExpr::max(N, N + 2) == N + 2);
  EXPECT_TRUE(DimExpr::min(DimExpr::min(N, M), DimExpr::min(M, N)) == DimExpr::min(M, N));
  EXPECT_TRUE(DimExpr::max(DimExpr::max(N, 3), 5) == DimExpr::max(5, N));
  EXPECT_TRUE(DimExpr::max(N + M, N) == N + M);
  EXPECT_FALSE(DimExpr::max(N, 1) == N);
}

TEST(DimExpr, Substitutes) {
  const auto e = DimExpr::floor_div(N * N + M, 2) + DimExpr::max(M, 4);
  const auto by = [](std::string_view name) { return name == "N" ? std::optional(DimExpr(4)) : std::nullopt; };
  EXPECT_TRUE(e.substitute(by) == DimExpr::floor_div(M, 2) + 8 + DimExpr::max(M, 4));
  std::vector<std::string> names;
  e.collect_variables(names);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"M", "N"}));
  EXPECT_FALSE(e.evaluate([](std::string_view) { return std::nullopt; }).has_value());
  EXPECT_EQ(N.variable_name(), "N");
  EXPECT_EQ((N + 1).variable_name(), "");
}

TEST(DimExpr, OverflowAndGrowthAreErrors) {
  const DimExpr big(INT64_MAX);
  EXPECT_THROW(big + 1, Error);
  EXPECT_THROW(big * N * 2, Error);
  DimExpr e = N + M + H;
  EXPECT_THROW(
      {
        for (int i = 0; i < 30; ++i) e = e * e;
      },
      Error);
  EXPECT_FALSE((N * N).evaluate([](std::string_view) { return std::optional<std::int64_t>(INT64_MAX); }).has_value());
}

// A random expression and what it is worth, computed beside it in plain integers.
struct Both {
  DimExpr e;
  std::int64_t value;
};
Both random_expression(std::mt19937& random, const std::int64_t* values, int depth) {
  static const DimExpr kVariables[] = {N, M, H};
  if (depth == 0 || random() % 5 == 0) {
    if (random() % 3 == 0) {
      const std::int64_t c = static_cast<std::int64_t>(random() % 9) - 3;
      return {c, c};
    }
    const auto v = random() % 3;
    return {kVariables[v], values[v]};
  }
  const Both a = random_expression(random, values, depth - 1), b = random_expression(random, values, depth - 1);
  switch (random() % 7) {
    case 0: return {a.e + b.e, a.value + b.value};
    case 1: return {a.e - b.e, a.value - b.value};
    case 2: return {a.e * b.e, a.value * b.value};
    case 3: return {DimExpr::min(a.e, b.e), std::min(a.value, b.value)};
    case 4: return {DimExpr::max(a.e, b.e), std::max(a.value, b.value)};
    case 5: {
      const std::int64_t c = 1 + random() % 5;
      return {DimExpr::floor_div(a.e, c), floor_of(a.value, c)};
    }
    default: {
      const auto v = random() % 3;  // a divisor that is at least 1
      const Both d = {kVariables[v] * (b.e.is_constant() ? DimExpr(2) : kVariables[v]) + 1,
                      values[v] * (b.e.is_constant() ? 2 : values[v]) + 1};
      return {DimExpr::floor_div(a.e, d.e), floor_of(a.value, d.value)};
    }
  }
}

TEST(DimExpr, RandomExpressionsKeepTheirValue) {
  std::mt19937 random(3);
  for (int round = 0; round < 4000; ++round) {
    const std::int64_t values[] = {static_cast<std::int64_t>(random() % 7), static_cast<std::int64_t>(random() % 7),
                                   static_cast<std::int64_t>(random() % 7)};
    const Both both = random_expression(random, values, 4);
    const DimExpr::Lookup lookup = [&](std::string_view n) {
      return std::optional(values[n == "N" ? 0 : n == "M" ? 1 : 2]);
    };
    ASSERT_EQ(both.e.evaluate(lookup), both.value) << both.e.to_string();
    const DimExpr replaced = both.e.substitute([&](std::string_view n) { return DimExpr(*lookup(n)); });
    ASSERT_TRUE(replaced == DimExpr(both.value)) << both.e.to_string();
    const DimExpr partly = both.e.substitute(
        [&](std::string_view n) { return n == "N" ? std::optional(DimExpr::variable("M") + 1) : std::nullopt; });
    const DimExpr::Lookup shifted = [&](std::string_view n) { return std::optional(values[n == "H" ? 2 : 1]); };
    const DimExpr::Lookup as_before = [&](std::string_view n) {
      return std::optional(n == "N" ? values[1] + 1 : values[n == "H" ? 2 : 1]);
    };
    ASSERT_EQ(partly.evaluate(shifted), both.e.evaluate(as_before)) << both.e.to_string();
  }
}

}  // namespace
}  // namespace norn::opset
