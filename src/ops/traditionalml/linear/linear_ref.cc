// LinearClassifier and LinearRegressor: x * coefficients^T + intercepts, computed in double.
#include <algorithm>

#include "base/checked.h"
#include "ops/common/elements.h"
#include "ops/traditionalml/linear/linear.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace linear_ref_cc {
namespace {

// Calls f(row, scores) for each row of X; f may change the scores.
template <class F>
void for_each_row(const opset::ReferenceContext& ctx, const LinearParams& p, const Rows& rows, F&& f) {
  if (rows.features != p.features)
    ctx.fail("X has " + std::to_string(rows.features) + " columns, but the coefficients are for " +
             std::to_string(p.features));
  const std::vector<double> x = load_numbers(ctx.input(0));
  std::vector<double> scores;
  for (std::int64_t r = 0; r < rows.count; ++r) {
    scores.assign(static_cast<std::size_t>(p.scores), 0.0);
    for (std::size_t k = 0; k < scores.size(); ++k) {
      for (std::int64_t i = 0; i < p.features; ++i)
        scores[k] += x[static_cast<std::size_t>(r * p.features + i)] *
                     p.coefficients[k * static_cast<std::size_t>(p.features) + static_cast<std::size_t>(i)];
      if (!p.intercepts.empty()) scores[k] += p.intercepts[k];
    }
    f(r, scores);
  }
}

// Of two classes that share a score, it is the second one's, and the first has its negative.
void linear_classifier_ref(opset::ReferenceContext& ctx) {
  const LinearParams p = resolve_linear_classifier(ctx);
  const Rows rows = rows_of(ctx, ctx.input(0).dims());
  const std::int64_t classes = p.labels.size();
  const Shape dims{rows.count, classes};
  if (!base::checked_count(dims)) ctx.fail("the scores of shape " + to_string(dims) + " have too many elements");
  Tensor* labels = ctx.wants_output(0) ? &ctx.output(0, p.labels.type(), {rows.count}) : nullptr;
  Tensor* z = ctx.wants_output(1) ? &ctx.output(1, DataType::Float, dims) : nullptr;
  for_each_row(ctx, p, rows, [&](std::int64_t r, std::vector<double>& scores) {
    if (p.scores < classes) scores.insert(scores.begin(), -scores[0]);
    const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
    if (labels) p.labels.write(*labels, r, classes == 1 && !(scores[0] >= 0) ? -1 : best);
    if (!z) return;
    transform_scores(p.transform, scores);
    store<double>(*z, r * classes, classes, scores.data());
  });
}

void linear_regressor_ref(opset::ReferenceContext& ctx) {
  const LinearParams p = resolve_linear_regressor(ctx);
  const Rows rows = rows_of(ctx, ctx.input(0).dims());
  const Shape dims{rows.count, p.scores};
  if (!base::checked_count(dims)) ctx.fail("the result of shape " + to_string(dims) + " has too many elements");
  Tensor& y = ctx.output(0, DataType::Float, dims);
  for_each_row(ctx, p, rows, [&](std::int64_t r, std::vector<double>& scores) {
    transform_scores(p.transform, scores);
    store<double>(y, r * p.scores, p.scores, scores.data());
  });
}

}  // namespace
}  // namespace linear_ref_cc

void linear_references(opset::ReferenceTable& table) {
  table.add(LinearClassifier, linear_classifier_ref);
  table.add(LinearRegressor, linear_regressor_ref);
}

}  // namespace norn::ops
