// Forests: every row walks down every tree, and the votes of the leaves it comes to are brought together, in double.
#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "base/checked.h"
#include "ops/common/elements.h"
#include "ops/traditionalml/tree_ensemble/tree_ensemble.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace tree_ensemble_ref_cc {
namespace {

using Row = std::span<const double>;

bool passes(const Forest& forest, const Forest::Node& node, Row x) {
  const double v = x[static_cast<std::size_t>(node.feature)];
  if (std::isnan(v)) return node.missing_true;
  switch (node.test) {
    case TreeTest::Leq: return v <= node.value;
    case TreeTest::Lt: return v < node.value;
    case TreeTest::Gte: return v >= node.value;
    case TreeTest::Gt: return v > node.value;
    case TreeTest::Eq: return v == node.value;
    case TreeTest::Neq: return v != node.value;
    default: {
      const std::vector<double>& set = forest.sets[node.members];
      return std::binary_search(set.begin(), set.end(), v);
    }
  }
}

// A target without a vote has 0.
void sum_up(const Forest& forest, Row x, std::vector<double>& scores) {
  scores.assign(static_cast<std::size_t>(forest.targets), 0.0);
  std::vector<bool> voted(scores.size(), false);
  for (Forest::Child at : forest.roots) {
    while (!at.leaf) {
      const Forest::Node& node = forest.nodes[at.at];
      at = passes(forest, node, x) ? node.yes : node.no;
    }
    for (const Forest::Vote& vote : forest.leaves[at.at]) {
      const auto target = static_cast<std::size_t>(vote.target);
      double& score = scores[target];
      if (forest.aggregate == TreeAggregate::Sum || forest.aggregate == TreeAggregate::Average || !voted[target])
        score += vote.weight;
      else
        score = forest.aggregate == TreeAggregate::Min ? std::min(score, vote.weight) : std::max(score, vote.weight);
      voted[target] = true;
    }
  }
  for (std::size_t t = 0; t < scores.size(); ++t) {
    if (forest.aggregate == TreeAggregate::Average && !forest.roots.empty())
      scores[t] /= static_cast<double>(forest.roots.size());
    if (!forest.base.empty()) scores[t] += forest.base[t];
  }
}

// Calls f(row, scores) for each row.
template <class F>
void for_each_row(const opset::ReferenceContext& ctx, const Forest& forest, const Rows& rows, F&& f) {
  if (rows.features < forest.features)
    ctx.fail("X has " + std::to_string(rows.features) + " columns, but the trees look at feature " +
             std::to_string(forest.features - 1));
  const std::vector<double> x = load_numbers(ctx.input(0));
  std::vector<double> scores;
  for (std::int64_t r = 0; r < rows.count; ++r) {
    const auto row =
        Row(x).subspan(static_cast<std::size_t>(r * rows.features), static_cast<std::size_t>(rows.features));
    sum_up(forest, row, scores);
    f(r, scores);
  }
}

Shape scores_dims(const opset::ReferenceContext& ctx, const Forest& forest, const Rows& rows) {
  Shape dims{rows.count, forest.targets};
  if (!base::checked_count(dims)) ctx.fail("the scores of shape " + to_string(dims) + " have too many elements");
  return dims;
}

void regress(opset::ReferenceContext& ctx, const Forest& forest, DataType type) {
  const Rows rows = rows_of(ctx, ctx.input(0).dims());
  Tensor& y = ctx.output(0, type, scores_dims(ctx, forest, rows));
  for_each_row(ctx, forest, rows, [&](std::int64_t r, std::vector<double>& scores) {
    transform_scores(forest.transform, scores);
    store<double>(y, r * forest.targets, forest.targets, scores.data());
  });
}

void tree_ensemble_ref(opset::ReferenceContext& ctx) { regress(ctx, resolve_tree_ensemble(ctx), ctx.input(0).dtype()); }
void tree_regressor_ref(opset::ReferenceContext& ctx) { regress(ctx, resolve_tree_regressor(ctx), DataType::Float); }

void tree_classifier_ref(opset::ReferenceContext& ctx) {
  const Labels labels = resolve_labels(ctx, "classlabels_int64s", "classlabels_strings");
  const Forest forest = resolve_tree_classifier(ctx, labels);
  const Rows rows = rows_of(ctx, ctx.input(0).dims());
  const Shape dims = scores_dims(ctx, forest, rows);
  Tensor* y = ctx.wants_output(0) ? &ctx.output(0, labels.type(), {rows.count}) : nullptr;
  Tensor* z = ctx.wants_output(1) ? &ctx.output(1, DataType::Float, dims) : nullptr;
  const SharedScore shared = shared_score(forest);
  for_each_row(ctx, forest, rows, [&](std::int64_t r, std::vector<double>& scores) {
    if (shared.target >= 0) {
      scores[1] = scores[static_cast<std::size_t>(shared.target)];
      scores[0] = shared.probability ? 1 - scores[1] : -scores[1];
    }
    const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
    if (y) labels.write(*y, r, scores.size() == 1 && !(scores[0] > 0) ? -1 : best);
    if (!z) return;
    transform_scores(forest.transform, scores);
    store<double>(*z, r * forest.targets, forest.targets, scores.data());
  });
}

}  // namespace
}  // namespace tree_ensemble_ref_cc

void tree_ensemble_references(opset::ReferenceTable& table) {
  table.add(TreeEnsemble, tree_ensemble_ref);
  table.add(TreeEnsembleRegressor, tree_regressor_ref);
  table.add(TreeEnsembleClassifier, tree_classifier_ref);
}

}  // namespace norn::ops
