// Random tensors: the numbers that NumPy's generator gives for a seed, and means and spreads of many.
#include "ops/generator/random/random.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "norn/error.h"
#include "ops/common/case.h"
#include "ops/common/random.h"
#include "ops/common/slice_test.h"

namespace norn::ops::test {
inline namespace random_test_cc {
namespace {

using transform::make_attr;

// numpy.random.RandomState(42).rand and randn, and onnx's evaluator.
const cases::Cases all(
    "RandomTensors",
    {
        {"RandomUniform seed=42 shape=2,3", "",
         "float[2,3] 0.37454012 0.95071429 0.731993914 0.598658502 0.156018645 0.15599452"},
        {"RandomNormal seed=42 shape=2,3 dtype=11", "",
         "double[2,3] 0.49671415301123267 -0.13826430117118466 0.64768853810069249 1.5230298564080254 "
         "-0.23415337472333597 -0.23413695694918055"},
        {"RandomNormalLike seed=7 mean=1 scale=0.5", "double[4] 1 2 3 4",
         "double[4] 1.8452628519001779 0.76703131472958364 1.0164100818392923 1.2037581414982539"},
        {"RandomUniformLike seed=7 low=-1 high=3 dtype=11", "{int64[3] 1 2 3|string[3] a b c|bool[3] 1 0 1}",
         "double[3] -0.69476684250417131 2.1196751689604585 0.75363692576357399"},
        {"RandomUniform-22 low=2 high=2 shape=3 dtype=1", "", "float[3] 2 2 2"},
        {"RandomNormalLike-22 mean=-1 scale=0 dtype=1", "T1[2]", "float[2]"},
        {"RandomNormal-22 mean=-1 scale=0 shape=2,1 dtype=1", "", "float[2,1] -1 -1"},
        {"RandomUniform-22 low=2 high=2 shape=3 dtype=10", "", "float16[3] 2 2 2"},
        {"RandomNormalLike-22 mean=-1 scale=0 dtype=10", "T1[2]", "float16[2]"},
        {"RandomNormal-22 mean=-1 scale=0 shape=2,1 dtype=10", "", "float16[2,1] -1 -1"},
        {"RandomUniform-22 low=2 high=2 shape=3 dtype=11", "", "double[3] 2 2 2"},
        {"RandomNormalLike-22 mean=-1 scale=0 dtype=11", "T1[2]", "double[2]"},
        {"RandomNormal-22 mean=-1 scale=0 shape=2,1 dtype=11", "", "double[2,1] -1 -1"},
        {"RandomUniform-22 low=2 high=2 shape=3 dtype=16", "", "bfloat16[3] 2 2 2"},
        {"RandomNormalLike-22 mean=-1 scale=0 dtype=16", "T1[2]", "bfloat16[2]"},
        {"RandomNormal-22 mean=-1 scale=0 shape=2,1 dtype=16", "", "bfloat16[2,1] -1 -1"},
        {"RandomNormalLike-22 mean=-1 scale=0",
         "{float16[2] 1 2|bfloat16[2] 1 2|float[2] nan inf|double[2] 1 2}",
         "",
         {.each = [](double) { return -1.0; }}},
        {"RandomNormalLike-22", "double[2,0]", "double[2,0]"},
        {"Random{Uniform|Normal} shape=2,0,3", "", "float[2,0,3]"},
        {"RandomUniform seed=42 shape=[]", "", "float[] 0.37454012"},
        {"Random{Uniform|Normal} shape=2,-1", "", "", {.error = "negative"}},
        {"Random{Uniform|Normal} shape=2 dtype={0|6|8|99|-1}", "", "", {.error = "dtype"}},
        {"Random{Uniform|Normal}-1 shape=2 dtype=16", "", "", {.error = "dtype"}},
        {"Random{Uniform|Normal}Like", "int32[2] 1 2", "", {.error = "like the input"}},
        {"Random{Uniform|Normal}Like dtype=7", "float[2] 1 2", "", {.error = "dtype"}},
        {"Random{Uniform|Normal}Like-22", "float16[N,2*M]", "float16[N,2*M]"},
        {"Random{Uniform|Normal}Like-22 dtype=16", "int8", "bfloat16"},
        {"Random{Uniform|Normal}Like-22", "?", "?"},
    });

Attributes shaped(std::int64_t n, Attributes more) {
  more.push_back(make_attr("shape", std::vector<std::int64_t>{n}));
  return more;
}
std::vector<double> drawn(const opset::Operator& op, std::int64_t n, Attributes more) {
  return doubles(run(op, 22, shaped(n, std::move(more)), {})[0].tensor());
}

struct Moments {
  double mean = 0, variance = 0, fourth = 0;  // the fourth central moment, in squares of the variance
};
Moments moments(const std::vector<double>& x) {
  Moments m;
  const auto n = static_cast<double>(x.size());
  for (const double v : x) m.mean += v / n;
  for (const double v : x) m.variance += (v - m.mean) * (v - m.mean) / n;
  for (const double v : x) m.fourth += std::pow(v - m.mean, 4) / n;
  m.fourth /= m.variance * m.variance;
  return m;
}

TEST(Random, UniformNumbersFillTheirRangeEvenly) {
  const auto x =
      drawn(RandomUniform, 50000, {make_attr("seed", 11.0f), make_attr("low", -2.0f), make_attr("high", 6.0f)});
  const Moments m = moments(x);
  EXPECT_NEAR(m.mean, 2, 0.1);
  EXPECT_NEAR(m.variance, 64.0 / 12, 0.15);
  EXPECT_NEAR(m.fourth, 1.8, 0.05);
  std::vector<int> tenths(10);
  for (const double v : x) {
    ASSERT_TRUE(v >= -2 && v <= 6) << v;
    ++tenths[std::min<std::size_t>(9, static_cast<std::size_t>((v + 2) / 0.8))];
  }
  for (const int count : tenths) EXPECT_NEAR(count, 5000, 400);
}

TEST(Random, NormalNumbersAreNormal) {
  const Moments m = moments(
      drawn(RandomNormal, 50000, {make_attr("seed", 11.0f), make_attr("mean", 3.0f), make_attr("scale", 2.0f)}));
  EXPECT_NEAR(m.mean, 3, 0.06);
  EXPECT_NEAR(m.variance, 4, 0.15);
  EXPECT_NEAR(m.fourth, 3, 0.2);
}

TEST(Random, SeedsDecide) {
  for (const opset::Operator* op : {&RandomUniform, &RandomNormal}) {
    const auto with = [&](float seed) { return drawn(*op, 100, {make_attr("seed", seed)}); };
    EXPECT_EQ(with(3), with(3));
    EXPECT_EQ(with(3), with(3.75f));  // its integer part
    EXPECT_NE(with(3), with(4));
    EXPECT_NE(with(3), with(-3));
    EXPECT_EQ(with(-1), drawn(*op, 100, {make_attr("seed", -1.0f)}));
    EXPECT_EQ(with(0x1p40f), with(0));  // modulo 2^32
    EXPECT_NE(drawn(*op, 100, {}), drawn(*op, 100, {}));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NE(with(nan), with(nan));
    EXPECT_THROW(with(std::numeric_limits<float>::infinity()), Error);
  }
}

TEST(MersenneTwister, GivesTheStandardsNumbers) {
  for (const std::uint32_t seed : {0u, 1u, 5489u, ~0u}) {
    MersenneTwister ours(seed);
    std::mt19937 standard(seed);
    for (int i = 0; i < 2000; ++i) ASSERT_EQ(ours(), standard()) << seed << " " << i;
  }
}

// Pieces of any size, of which some end between the two draws of a number, give what one draw after the other does.
TEST(MersenneTwister, UniformNumbersAreOfTwoDraws) {
  MersenneTwister ours(7);
  std::mt19937 standard(7);
  for (const std::int64_t n : {0, 1, 5, 311, 1, 312, 313, 1000, 3}) {
    std::vector<double> drawn(static_cast<std::size_t>(n));
    ours.uniforms(drawn.data(), n);
    for (const double x : drawn) {
      const auto high = static_cast<double>(standard() >> 5);
      ASSERT_EQ(x, (high * 67108864 + static_cast<double>(standard() >> 6)) / 9007199254740992) << n;
    }
    ASSERT_EQ(ours(), standard()) << n;
  }
}

// Neighbouring counters, and exchanged ones, give sequences that have nothing in common; half of all bits are set.
TEST(MersenneTwister, CountersGiveSequencesOfTheirOwn) {
  using Seed = std::array<std::uint64_t, 2>;
  const std::vector<Seed> seeds = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 2}, {~std::uint64_t{0}, 0}};
  std::vector<std::vector<std::uint32_t>> drawn;
  for (const Seed& seed : seeds) {
    MersenneTwister generator(seed), again(seed);
    auto& numbers = drawn.emplace_back(5000);
    int bits = 0;
    for (std::uint32_t& number : numbers) {
      ASSERT_EQ(number = generator(), again());
      bits += std::popcount(number);
    }
    EXPECT_NEAR(bits, 80000, 1000);  // five standard deviations
  }
  for (std::size_t a = 0; a < drawn.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      int apart = 0;
      for (std::size_t i = 0; i < 5000; ++i) apart += std::popcount(drawn[a][i] ^ drawn[b][i]);
      EXPECT_NEAR(apart, 80000, 1000) << a << " " << b;
    }
}

// What is drawn is not known before running, though no input is missing.
TEST(Random, NothingIsKnownBeforehand) {
  for (const Attributes& attrs : {shaped(2, {}), shaped(2, {make_attr("seed", 1.0f)})}) {
    const Inferred inferred = infer(RandomUniform, 22, attrs, {});
    EXPECT_EQ(inferred.types[0].to_string(), "float[2]");
    EXPECT_FALSE(inferred.values[0].known());
  }
}

TEST(Random, HugeShapesAreErrors) {
  EXPECT_THROW(run(RandomUniform, 22, {make_attr("shape", std::vector<std::int64_t>{INT64_MAX, 8})}, {}), Error);
}

}  // namespace
}  // namespace random_test_cc
}  // namespace norn::ops::test
