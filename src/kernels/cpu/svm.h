// Support vector machines: kernels of rows of X, as f32, with all vectors, and sums of them.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernels/cpu/scores.h"
#include "kernels/kernel.h"

namespace norn::kernels {

enum class SvmForm : std::uint8_t { Linear, Poly, Rbf, Sigmoid };
struct SvmModel {
  SvmForm form = SvmForm::Linear;
  float gamma = 0, coef0 = 0, degree = 0;
  std::int64_t count = 0, features = 0;  // vectors, and elements of each
  std::vector<float> vectors;            // [count, features]
  // A row has `sums`: intercepts[s] + the sum over all vectors v of weights[v * sums + s] times the kernel with v.
  std::int64_t sums = 1;
  std::vector<float> weights, intercepts;
  // A classifier's sums are of the pairs of classes (0, 1), (0, 2), ...: above 0 one is a vote for the first of them,
  // and the first class that has most votes wins. Its scores are the sums; of the only pair there is, its negative
  // before it. Neither list: a regression, whose score is the sum.
  std::vector<std::int64_t> labels;
  std::vector<std::string> names;
  // Probabilities of the classes, from the pairs' sums, become the scores; null: they do not. `work` has
  // `probability_work` numbers.
  void (*probabilities)(std::span<const double> sums, std::span<const float> a, std::span<const float> b,
                        std::span<double> classes, double* work) = nullptr;
  std::vector<float> prob_a, prob_b;
  std::int64_t probability_work = 0;
  void (*transform)(std::span<double> scores) = nullptr;  // of a row's scores; null: none
  bool sign = false;                                      // the score is 1 above 0, else -1
  // The sums of a row in double, by all vectors one after the other: for rows that leave the range of f32.
  std::function<std::vector<double>(std::span<const double> x)> exact;
};
struct PackedSvm {
  SvmModel model;
  // In panels. Of linear kernels the weighted sum of all vectors is the only one: the model's `count` is then that of
  // the features, and there are no vectors. The weights of a few sums are rows instead.
  std::shared_ptr<const void> vectors, weights;
};
std::shared_ptr<const PackedSvm> pack_svm(SvmModel model);

// Operands: X [rows, features], then the outputs: the labels, or null, and the scores (float), or null.
struct SvmConfig {
  std::shared_ptr<const PackedSvm> model;
  DataType x = DataType::Float;
  std::int64_t rows = 0, features = 0;
};
std::span<const Candidate<SvmConfig>> svm_candidates();

// out[v] = the square of the distance of x from vector v; `columns` has element f of vector v at f * count + v. For a
// target's instruction set.
using DistanceLoop = void (*)(const float* x, const float* columns, std::int64_t features, std::int64_t count,
                              float* out);
DistanceLoop distance_loop();

}  // namespace norn::kernels
