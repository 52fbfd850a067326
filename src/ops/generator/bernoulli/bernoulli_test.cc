// Bernoulli: certain outcomes in every type, NumPy's uniform numbers below the probabilities, and shares of many.
#include "ops/generator/bernoulli/bernoulli.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "ops/common/case.h"
#include "ops/common/slice_test.h"

namespace norn::ops::test {
inline namespace bernoulli_test_cc {
namespace {

using transform::make_attr;

// numpy.random.RandomState(5).rand(6) is 0.22 0.87 0.21 0.92 0.49 0.61.
const cases::Cases all("Bernoulli",
                       {
                           {"Bernoulli", "T1[4] 0 1 1 0", "T1[4] 0 1 1 0"},
                           {"Bernoulli dtype=1", "T1[2,2] 0 1 1 0", "float[2,2] 0 1 1 0"},
                           {"Bernoulli dtype=2", "T1[2,2] 0 1 1 0", "uint8[2,2] 0 1 1 0"},
                           {"Bernoulli dtype=3", "T1[2,2] 0 1 1 0", "int8[2,2] 0 1 1 0"},
                           {"Bernoulli dtype=4", "T1[2,2] 0 1 1 0", "uint16[2,2] 0 1 1 0"},
                           {"Bernoulli dtype=5", "T1[2,2] 0 1 1 0", "int16[2,2] 0 1 1 0"},
                           {"Bernoulli dtype=6", "T1[2,2] 0 1 1 0", "int32[2,2] 0 1 1 0"},
                           {"Bernoulli dtype=7", "T1[2,2] 0 1 1 0", "int64[2,2] 0 1 1 0"},
                           {"Bernoulli dtype=9", "T1[2,2] 0 1 1 0", "bool[2,2] 0 1 1 0"},
                           {"Bernoulli dtype=10", "T1[2,2] 0 1 1 0", "float16[2,2] 0 1 1 0"},
                           {"Bernoulli dtype=11", "T1[2,2] 0 1 1 0", "double[2,2] 0 1 1 0"},
                           {"Bernoulli dtype=12", "T1[2,2] 0 1 1 0", "uint32[2,2] 0 1 1 0"},
                           {"Bernoulli dtype=13", "T1[2,2] 0 1 1 0", "uint64[2,2] 0 1 1 0"},
                           {"Bernoulli dtype=16", "T1[2,2] 0 1 1 0", "bfloat16[2,2] 0 1 1 0"},
                           {"Bernoulli seed=5", "double[6] 0.5 0.5 0.2 0.95 0.48 0.62", "double[6] 1 0 0 1 0 1"},
                           {"Bernoulli seed=5 dtype=9", "float[2,3] 0.5 0.5 0.2 0.95 0.48 0.62",
                            "bool[2,3] 1 0 0 1 0 1"},
                           {"Bernoulli", "float[] 1", "float[] 1"},
                           {"Bernoulli dtype=7", "float[2,0]", "int64[2,0]"},
                           {"Bernoulli", "float[2] 0.5 {nan|-0.1|1.5|inf}", "", {.error = "probability"}},
                           {"Bernoulli dtype={0|8|14|99}", "float[2] 1 0", "", {.error = "dtype"}},
                           {"Bernoulli", "float[3] -0 0 1", "float[3] 0 0 1"},
                           {"Bernoulli-22", "bfloat16[N,M]", "bfloat16[N,M]"},
                           {"Bernoulli-22 dtype=9", "float", "bool"},
                       });

TEST(Bernoulli, GivesAboutTheRightShare) {
  const std::int64_t n = 20000;
  const Tensor p = tensor<float>({n}, std::vector<float>(static_cast<std::size_t>(n), 0.3f));
  const auto drawn = doubles(run(Bernoulli, 22, {make_attr("seed", 7.0f)}, {p})[0].tensor());
  EXPECT_NEAR(static_cast<double>(std::count(drawn.begin(), drawn.end(), 1.0)) / n, 0.3, 0.02);
  EXPECT_NE(doubles(run(Bernoulli, 22, {}, {p})[0].tensor()), doubles(run(Bernoulli, 22, {}, {p})[0].tensor()));
}

// Many numbers are compared with their probabilities as one is, and a wrong probability is found wherever it is.
TEST(Bernoulli, ComparesEachNumber) {
  const std::int64_t n = 1231;
  std::vector<double> chances(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < chances.size(); ++i) chances[i] = static_cast<double>(i * 37 % 101) / 100;
  std::mt19937 standard(7);
  std::vector<double> expected;
  for (const double chance : chances) {
    const auto high = static_cast<double>(standard() >> 5);
    const double x = (high * 67108864 + static_cast<double>(standard() >> 6)) / 9007199254740992;
    expected.push_back(x < chance ? 1 : 0);
  }
  const auto attrs = {make_attr("seed", 7.0f)};
  EXPECT_EQ(doubles(run(Bernoulli, 22, attrs, {tensor<double>({n}, chances)})[0].tensor()), expected);
  for (const std::size_t at : {0u, 511u, 512u, 1230u})
    for (const double wrong : {-1e-300, 1.0000000000000002, -2.0, HUGE_VAL, -std::nan("")}) {
      std::vector<double> some = chances;
      some[at] = wrong;
      EXPECT_THROW(run(Bernoulli, 22, attrs, {tensor<double>({n}, some)}), Error) << at << " " << wrong;
    }
}

}  // namespace
}  // namespace bernoulli_test_cc
}  // namespace norn::ops::test
