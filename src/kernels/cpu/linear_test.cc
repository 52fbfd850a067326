// Linear models against their formula in double.
#include "kernels/cpu/linear.h"

#include <algorithm>
#include <limits>

#include "kernels/cpu/kernel_test.h"
#include "kernels/cpu/svm.h"

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
  for (const auto& [rows, features, scores] : {std::tuple{0, 3, 2},
                                               {1, 64, 10},
                                               {3, 1, 1},
                                               {200, 33, 70},
                                               {65, 7, 3},
                                               {9, 0, 2},
                                               {70, 133, 1},
                                               {5, 40, 2},
                                               {66, 100, 3},
                                               {3, 65, 4}})
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

TEST(Linear, ScoresTransformedTogether) {
  for (const RowTransform transform : {RowTransform::None, RowTransform::Softmax, RowTransform::Logistic})
    for (const std::int64_t features : {5, 50}) {
      LinearModel model = model_of(3, features, true);
      model.transform = transform;
      model.rule.labels = {7, 8, 9};
      const std::int64_t rows = 100;
      auto x = random_floats(rows * features, 6);
      const LinearConfig c{pack_linear(model), DataType::Float, rows, features};
      Constants constants;
      std::vector<std::int64_t> labels(static_cast<std::size_t>(rows));
      const auto got = run_at_widths(*linear_candidates()[0].make(c, constants), {x.data(), labels.data()},
                                     std::vector<float>(static_cast<std::size_t>(rows * 3)));
      for (std::int64_t r = 0; r < rows; ++r) {
        double scores[3], sum = 0;
        for (std::int64_t s = 0; s < 3; ++s) {
          scores[s] = model.intercepts[static_cast<std::size_t>(s)];
          for (std::int64_t i = 0; i < features; ++i)
            scores[s] += static_cast<double>(x[static_cast<std::size_t>(r * features + i)]) *
                         model.coefficients[static_cast<std::size_t>(s * features + i)];
          sum += std::exp(scores[s]);
        }
        EXPECT_EQ(labels[static_cast<std::size_t>(r)], 7 + (std::max_element(scores, scores + 3) - scores));
        for (std::int64_t s = 0; s < 3; ++s) {
          const double want = transform == RowTransform::None      ? scores[s]
                              : transform == RowTransform::Softmax ? std::exp(scores[s]) / sum
                                                                   : 1 / (1 + std::exp(-scores[s]));
          EXPECT_NEAR(got[static_cast<std::size_t>(r * 3 + s)], want, 1e-5);
        }
      }
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
  c = {c.model, DataType::String, 3, 2};
  EXPECT_NE(linear_candidates()[0].refuses(c), "");
}

// Rows of another type give what they give as floats.
template <class T>
void check_rows_of(DataType type) {
  const std::int64_t rows = 150, features = 7;
  std::vector<T> x;
  std::vector<float> floats;
  for (std::int64_t i = 0; i < rows * features; ++i) x.push_back(static_cast<T>(i * 37 % 19 - 9));
  for (const T v : x) floats.push_back(static_cast<float>(v));
  Constants constants;
  const auto scores_of = [&](DataType of, void* data) {
    const LinearConfig c{pack_linear(model_of(5, features, true)), of, rows, features};
    EXPECT_EQ(linear_candidates()[0].refuses(c), "");
    return run_at_widths(*linear_candidates()[0].make(c, constants), {data, nullptr},
                         std::vector<float>(static_cast<std::size_t>(rows * 5)));
  };
  EXPECT_EQ(scores_of(type, x.data()), scores_of(DataType::Float, floats.data()));
  SvmModel svm;
  svm.form = SvmForm::Rbf;
  svm.gamma = 0.01f;
  svm.count = 30;
  svm.features = features;
  svm.vectors = random_floats(30 * features, 1);
  svm.weights = random_floats(30, 2);
  svm.intercepts = {0.5f};
  const auto sums_of = [&](DataType of, void* data) {
    const SvmConfig c{pack_svm(svm), of, rows, features};
    EXPECT_EQ(svm_candidates()[0].refuses(c), "");
    return run_at_widths(*svm_candidates()[0].make(c, constants), {data, nullptr},
                         std::vector<float>(static_cast<std::size_t>(rows)));
  };
  EXPECT_EQ(sums_of(type, x.data()), sums_of(DataType::Float, floats.data()));
}
TEST(Linear, RowsOfOtherTypes) {
  check_rows_of<double>(DataType::Double);
  check_rows_of<std::int64_t>(DataType::Int64);
  check_rows_of<std::int32_t>(DataType::Int32);
}

TEST(Svm, SumsOfKernels) {
  for (const SvmForm form : {SvmForm::Linear, SvmForm::Poly, SvmForm::Rbf, SvmForm::Sigmoid})
    for (const float degree : {2.0f, 3.0f, 1.5f})
      for (const std::int64_t count : {1, 70, 133})
        for (const std::int64_t classes : {0, 2, 3}) {
          SvmModel m;
          m.form = form;
          m.gamma = 0.3f;
          m.coef0 = 4;
          m.degree = degree;
          m.count = count;
          m.features = 5;
          m.vectors = random_floats(count * 5, 1);
          m.sums = classes == 0 ? 1 : classes * (classes - 1) / 2;
          m.weights = random_floats(count * m.sums, 2);
          m.intercepts = random_floats(m.sums, 3);
          for (std::int64_t k = 0; k < classes; ++k) m.labels.push_back(10 + k);
          const std::int64_t rows = 75, columns = classes == 2 ? 2 : m.sums;
          auto x = random_floats(rows * 5, 4);
          std::vector<std::int64_t> labels(static_cast<std::size_t>(rows));
          const SvmConfig c{pack_svm(m), DataType::Float, rows, 5};
          ASSERT_EQ(svm_candidates()[0].refuses(c), "");
          Constants constants;
          const auto got =
              run_at_widths(*svm_candidates()[0].make(c, constants), {x.data(), classes == 0 ? nullptr : labels.data()},
                            std::vector<float>(static_cast<std::size_t>(rows * columns)));
          for (std::int64_t r = 0; r < rows; ++r) {
            std::vector<double> sums(m.intercepts.begin(), m.intercepts.end());
            for (std::int64_t v = 0; v < count; ++v) {
              double dot = 0, distance = 0;
              for (std::int64_t f = 0; f < 5; ++f) {
                const double a = x[static_cast<std::size_t>(r * 5 + f)],
                             b = m.vectors[static_cast<std::size_t>(v * 5 + f)];
                dot += a * b;
                distance += (a - b) * (a - b);
              }
              const double moved = 0.3 * dot + 4;
              const double k = form == SvmForm::Linear ? dot
                               : form == SvmForm::Poly ? std::pow(moved, static_cast<double>(degree))
                               : form == SvmForm::Rbf  ? std::exp(-0.3 * distance)
                                                       : std::tanh(moved);
              for (std::int64_t s = 0; s < m.sums; ++s)
                sums[static_cast<std::size_t>(s)] += k * m.weights[static_cast<std::size_t>(v * m.sums + s)];
            }
            for (std::int64_t s = 0; s < m.sums; ++s)
              ASSERT_NEAR(got[static_cast<std::size_t>(r * columns + (classes == 2 ? 1 : s))],
                          sums[static_cast<std::size_t>(s)], 2e-3);
            if (classes == 2) {
              ASSERT_EQ(got[static_cast<std::size_t>(r * 2)], -got[static_cast<std::size_t>(r * 2 + 1)]);
            }
            if (classes == 0) continue;
            std::vector<int> votes(static_cast<std::size_t>(classes));
            std::size_t pair = 0;
            bool clear = true;
            for (std::size_t i = 0; i < votes.size(); ++i)
              for (std::size_t j = i + 1; j < votes.size(); ++j, ++pair) {
                ++votes[sums[pair] > 0 ? i : j];
                clear = clear && std::fabs(sums[pair]) > 1e-2;
              }
            const auto best = std::max_element(votes.begin(), votes.end()) - votes.begin();
            ASSERT_TRUE(!clear || labels[static_cast<std::size_t>(r)] == 10 + best);
          }
        }
}

}  // namespace
}  // namespace norn::kernels
