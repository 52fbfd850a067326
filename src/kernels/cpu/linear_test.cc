// Linear models against their formula in double.
#include "kernels/cpu/linear.h"

#include <limits>

#include "kernels/cpu/kernel_test.h"

namespace norn::kernels {
namespace {

using namespace test;

LinearModel model_of(std::int64_t scores, std::int64_t features, bool intercepts) {
  LinearModel model;
  model.scores = model.rule.targets = scores;
  model.features = features;
  model.coefficients = random_floats(scores * features, 3);
  if (intercepts) model.intercepts = random_floats(scores, 4);
  return model;
}

TEST(Linear, Scores) {
  for (const auto& [rows, features, scores] :
       {std::tuple{0, 3, 2}, {1, 64, 10}, {3, 1, 1}, {200, 33, 70}, {65, 7, 3}, {9, 0, 2}})
    for (const bool intercepts : {false, true}) {
      const LinearModel model = model_of(scores, features, intercepts);
      const auto x = random_floats(rows * features, 5);
      LinearConfig c{pack_linear(model), DataType::Float, rows, features};
      ASSERT_EQ(linear_candidates()[0].refuses(c), "");
      Constants constants;
      const auto got =
          run_at_widths(*linear_candidates()[0].make(c, constants), {const_cast<float*>(x.data()), nullptr},
                        std::vector<float>(static_cast<std::size_t>(rows * scores)));
      std::vector<double> want;
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t t = 0; t < scores; ++t) {
          double sum = intercepts ? model.intercepts[static_cast<std::size_t>(t)] : 0;
          for (std::int64_t i = 0; i < features; ++i)
            sum += static_cast<double>(x[static_cast<std::size_t>(r * features + i)]) *
                   model.coefficients[static_cast<std::size_t>(t * features + i)];
          want.push_back(sum);
        }
      expect_close(got, want, 1e-5, "scores");
    }
}

TEST(Linear, ClassesOfOneScore) {
  LinearModel model = model_of(1, 2, true);
  model.rule.targets = 2;
  model.rule.shared_target = 0;
  model.rule.names = {"no", "yes"};
  LinearConfig c{pack_linear(model), DataType::Float, 3, 2};
  std::vector<float> x = {1, 2, -5, -1, std::nanf(""), 0};
  std::vector<std::string> labels(3);
  Constants constants;
  const auto got =
      run_at_widths(*linear_candidates()[0].make(c, constants), {x.data(), labels.data()}, std::vector<float>(6));
  for (std::size_t r = 0; r < 2; ++r) {
    EXPECT_EQ(got[2 * r], -got[2 * r + 1]);
    EXPECT_EQ(labels[r], got[2 * r + 1] > 0 ? "yes" : "no");
  }
  EXPECT_TRUE(std::isnan(got[5]));
  c.features = 3;
  EXPECT_NE(linear_candidates()[0].refuses(c), "");
  c = {c.model, DataType::Double, 3, 2};
  EXPECT_NE(linear_candidates()[0].refuses(c), "");
}

}  // namespace
}  // namespace norn::kernels
