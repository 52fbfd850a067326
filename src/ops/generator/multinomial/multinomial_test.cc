// Multinomial: certain outcomes, NumPy's uniform numbers within running sums, and shares of many draws.
#include "ops/generator/multinomial/multinomial.h"

#include <cmath>

#include "ops/common/case.h"
#include "ops/common/slice_test.h"

namespace norn::ops::test {
inline namespace multinomial_test_cc {
namespace {

using transform::make_attr;

// numpy.random.RandomState(5).rand(6) is 0.22 0.87 0.21 0.92 0.49 0.61; of four equal classes each has a quarter, of
// log-probabilities 0 and log(9) they have a tenth and nine tenths.
const cases::Cases all(
    "Multinomial",
    {
        {"Multinomial sample_size=3", "T1[2,3] -inf 0 -inf 5 -inf -inf", "int32[2,3] 1 1 1 0 0 0"},
        {"Multinomial sample_size=2 dtype=7", "T1[2,1] 3 -8", "int64[2,2] 0 0 0 0"},
        {"Multinomial seed=5 sample_size=6", "{float|double}[1,4] 7 7 7 7", "int32[1,6] 0 3 0 3 1 2"},
        {"Multinomial seed=5 sample_size=3", "double[2,4] 1000 1000 1000 1000 -2000 -2000 -2000 -2000",
         "int32[2,3] 0 3 0 3 1 2"},
        {"Multinomial seed=5 sample_size=6", "double[1,2] 0 2.1972245773362196", "int32[1,6] 1 1 1 1 1 1"},
        {"Multinomial seed=5 sample_size=6", "double[1,2] 2.1972245773362196 0", "int32[1,6] 0 0 0 1 0 0"},
        {"Multinomial", "float[1,1] 1", "int32[1,1] 0"},
        {"Multinomial sample_size=0", "float[2,3] random", "int32[2,0]"},
        {"Multinomial sample_size=4", "float[0,3]", "int32[0,4]"},
        {"Multinomial sample_size=4", "float[0,0]", "int32[0,4]"},
        {"Multinomial", "float[2,0]", "", {.error = "no classes"}},
        {"Multinomial sample_size=-1", "float[2,3] random", "", {.error = "negative"}},
        {"Multinomial", "float[1,2] 0 {nan|inf}", "", {.error = "log-probability"}},
        {"Multinomial", "float[1,2] -inf -inf", "", {.error = "no class"}},
        {"Multinomial", "float[2] 0 1", "", {.error = "rank"}},
        {"Multinomial dtype={0|1|8|99}", "float[1,2] 0 1", "", {.error = "dtype"}},
        {"Multinomial-22 sample_size=5", "float[N,C]", "int32[N,5]"},
        {"Multinomial-22 sample_size=5 dtype=7", "float", "int64[?,5]"},
    });

TEST(Multinomial, DrawsByTheProbabilities) {
  const std::vector<double> weights = {1, 2, 0, 5, 2};
  std::vector<double> logs;
  for (const double w : weights) logs.push_back(std::log(w));
  const std::int64_t n = 20000;
  const auto y = doubles(run(Multinomial, 22, {make_attr("seed", 3.0f), make_attr("sample_size", n)},
                             {tensor_of(DataType::Double, {1, 5}, logs)})[0]
                             .tensor());
  std::vector<double> shares(5);
  for (const double choice : y) shares.at(static_cast<std::size_t>(choice)) += 1.0 / n;
  for (std::size_t c = 0; c < 5; ++c) EXPECT_NEAR(shares[c], weights[c] / 10, 0.02) << c;
  EXPECT_EQ(shares[2], 0);
}

TEST(Multinomial, DiffersWithoutASeed) {
  const auto once = [] {
    return doubles(run(Multinomial, 22, {make_attr("sample_size", std::int64_t{100})},
                       {tensor_of(DataType::Float, {1, 4}, {0, 0, 0, 0})})[0]
                       .tensor());
  };
  EXPECT_NE(once(), once());
}

}  // namespace
}  // namespace multinomial_test_cc
}  // namespace norn::ops::test
