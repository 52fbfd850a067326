// SVMClassifier and SVMRegressor, computed in double.
//
// A classifier decides between each pair of classes i < j by rho + the coefficients of both classes' vectors times
// their kernels: above 0 it is a vote for i. Most votes win, the first class of several.
#include <algorithm>
#include <cmath>
#include <span>

#include "base/checked.h"
#include "ops/common/elements.h"
#include "ops/traditionalml/svm/svm.h"
#include "ops/traditionalml/svm/svm_probabilities.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace svm_ref_cc {
namespace {

using Row = std::span<const double>;

double dot(Row x, const float* y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

double kernel(const SvmParams& p, Row x, std::int64_t vector) {
  const float* v = p.vectors.data() + vector * p.features;
  switch (p.kernel) {
    case SvmKernel::Poly: return std::pow(p.gamma * dot(x, v) + p.coef0, static_cast<double>(p.degree));
    case SvmKernel::Sigmoid: return std::tanh(p.gamma * dot(x, v) + p.coef0);
    case SvmKernel::Rbf: {
      double distance = 0;
      for (std::size_t i = 0; i < x.size(); ++i) distance += (x[i] - v[i]) * (x[i] - v[i]);
      return std::exp(-p.gamma * distance);
    }
    default: return dot(x, v);
  }
}

std::vector<double> kernels(const SvmParams& p, Row x) {
  std::vector<double> values;
  for (std::int64_t v = 0; v < p.count; ++v) values.push_back(kernel(p, x, v));
  return values;
}

// The coefficients are rows of all vectors: for the pair (i, j), those of i are in row j - 1 and those of j in row i.
std::vector<double> pair_sums(const SvmParams& p, Row x) {
  const std::vector<double> k = kernels(p, x);
  const auto classes = static_cast<std::size_t>(p.labels.size());
  std::vector<std::size_t> begin(classes + 1, 0);
  for (std::size_t c = 0; c < classes; ++c) begin[c + 1] = begin[c] + static_cast<std::size_t>(p.per_class[c]);
  const auto part = [&](std::size_t row, std::size_t c) {
    double sum = 0;
    for (std::size_t v = begin[c]; v < begin[c + 1]; ++v) sum += p.coefficients[row * k.size() + v] * k[v];
    return sum;
  };
  std::vector<double> sums;
  for (std::size_t i = 0; i < classes; ++i)
    for (std::size_t j = i + 1; j < classes; ++j) sums.push_back(p.rho[sums.size()] + part(j - 1, i) + part(i, j));
  return sums;
}

double regression_sum(const SvmParams& p, Row x) {
  double sum = p.rho[0];
  if (p.count == 0) sum += dot(x, p.coefficients.data());
  for (std::int64_t v = 0; v < p.count; ++v) sum += p.coefficients[static_cast<std::size_t>(v)] * kernel(p, x, v);
  return sum;
}

std::vector<double> probabilities_of(const SvmParams& p, const std::vector<double>& scores) {
  const auto classes = static_cast<std::size_t>(p.labels.size());
  std::vector<double> probabilities(classes), work(svm_probability_work(classes));
  svm_probabilities(scores, p.prob_a, p.prob_b, probabilities, work.data());
  return probabilities;
}

template <class F>
void for_each_row(const opset::ReferenceContext& ctx, const SvmParams& p, const Rows& rows, F&& f) {
  if (rows.features != p.features)
    ctx.fail("X has " + std::to_string(rows.features) + " columns, but the model is for " + std::to_string(p.features));
  const std::vector<double> x = load_numbers(ctx.input(0));
  for (std::int64_t r = 0; r < rows.count; ++r)
    f(r, Row(x).subspan(static_cast<std::size_t>(r * p.features), static_cast<std::size_t>(p.features)));
}

// A class and the scores of a row.
std::int64_t classify(const SvmParams& p, Row x, std::vector<double>& scores) {
  const std::int64_t classes = p.labels.size();
  if (p.per_class.empty()) {
    scores.clear();
    for (std::int64_t c = 0; c < classes; ++c)
      scores.push_back(p.rho[0] + dot(x, p.coefficients.data() + c * p.features));
    if (classes == 1) return scores[0] > 0 ? 0 : -1;
    return std::max_element(scores.begin(), scores.end()) - scores.begin();
  }
  scores = svm_sums(p, x);
  std::vector<std::int64_t> votes(static_cast<std::size_t>(classes), 0);
  std::size_t pair = 0;
  for (std::size_t i = 0; i < votes.size(); ++i)
    for (std::size_t j = i + 1; j < votes.size(); ++j, ++pair) ++votes[scores[pair] > 0 ? i : j];
  if (!p.prob_a.empty())
    scores = probabilities_of(p, scores);
  else if (scores.size() == 1)
    scores.insert(scores.begin(), -scores[0]);
  return std::max_element(votes.begin(), votes.end()) - votes.begin();
}

void svm_classifier_ref(opset::ReferenceContext& ctx) {
  const SvmParams p = resolve_svm_classifier(ctx);
  const Rows rows = rows_of(ctx, ctx.input(0).dims());
  const std::int64_t columns = p.columns();
  const Shape dims{rows.count, columns};
  if (!base::checked_count(dims)) ctx.fail("the scores of shape " + to_string(dims) + " have too many elements");
  Tensor* labels = ctx.wants_output(0) ? &ctx.output(0, p.labels.type(), {rows.count}) : nullptr;
  Tensor* z = ctx.wants_output(1) ? &ctx.output(1, DataType::Float, dims) : nullptr;
  std::vector<double> scores;
  for_each_row(ctx, p, rows, [&](std::int64_t r, Row x) {
    const std::int64_t best = classify(p, x, scores);
    if (labels) p.labels.write(*labels, r, best);
    if (!z) return;
    transform_scores(p.transform, scores);
    store<double>(*z, r * columns, columns, scores.data());
  });
}

void svm_regressor_ref(opset::ReferenceContext& ctx) {
  const SvmParams p = resolve_svm_regressor(ctx);
  const Rows rows = rows_of(ctx, ctx.input(0).dims());
  Tensor& y = ctx.output(0, DataType::Float, {rows.count, 1});
  for_each_row(ctx, p, rows, [&](std::int64_t r, Row x) {
    double score = svm_sums(p, x)[0];
    if (p.one_class)
      score = score > 0 ? 1 : -1;
    else
      transform_scores(p.transform, {&score, 1});
    store<double>(y, r, 1, &score);
  });
}

}  // namespace
}  // namespace svm_ref_cc

std::vector<double> svm_sums(const SvmParams& p, std::span<const double> x) {
  return p.per_class.empty() ? std::vector<double>{regression_sum(p, x)} : pair_sums(p, x);
}

void svm_references(opset::ReferenceTable& table) {
  table.add(SVMClassifier, svm_classifier_ref);
  table.add(SVMRegressor, svm_regressor_ref);
}

}  // namespace norn::ops
