// TreeEnsemble, TreeEnsembleRegressor and TreeEnsembleClassifier.
#include "kernels/cpu/forest.h"
#include "ops/traditionalml/tree_ensemble/tree_ensemble.h"
#include "runtime/select.h"
#include "runtime/select_scores.h"

namespace norn::runtime {
namespace {

using kernels::Forest;

// As the kernels spell it.
Forest forest_of(const Selector& s) {
  const SelectedNode node(s);
  const opset::Operator* op = s.node().op;
  Forest to;
  ops::Forest from;
  if (op == &ops::TreeEnsembleClassifier) {
    ops::Labels labels = ops::resolve_labels(node, "classlabels_int64s", "classlabels_strings");
    from = ops::resolve_tree_classifier(node, labels);
    to.rule.labels = std::move(labels.ints);
    to.rule.names = std::move(labels.strings);
    const ops::SharedScore shared = ops::shared_score(from);
    to.rule.shared_target = shared.target;
    to.rule.shared_is_probability = shared.probability;
  } else {
    from = op == &ops::TreeEnsemble ? ops::resolve_tree_ensemble(node) : ops::resolve_tree_regressor(node);
  }
  const auto child = [](const ops::Forest::Child& c) { return Forest::Child{c.leaf, c.at}; };
  for (const ops::Forest::Node& n : from.nodes)
    to.nodes.push_back(
        {static_cast<kernels::TreeTest>(n.test), n.feature, n.value, n.missing_true, child(n.yes), child(n.no)});
  for (const auto& votes : from.leaves) {
    to.leaves.emplace_back();
    for (const ops::Forest::Vote& vote : votes) to.leaves.back().push_back({vote.target, vote.weight});
  }
  for (const ops::Forest::Child& root : from.roots) to.roots.push_back(child(root));
  to.rule.targets = from.targets;
  to.aggregate = static_cast<kernels::TreeAggregate>(from.aggregate);
  to.base = std::move(from.base);
  to.rule.transform = transform_of(from.transform);
  return to;
}
// Both list them in one order.
static_assert(static_cast<int>(ops::TreeTest::Member) == static_cast<int>(kernels::TreeTest::Member));
static_assert(static_cast<int>(ops::TreeAggregate::Max) == static_cast<int>(kernels::TreeAggregate::Max));

}  // namespace

bool select_trees(Selector& s) {
  kernels::ForestConfig config;
  config.x = s.dtype(0);
  const Shape& x = s.dims(0);
  config.rows = x.size() == 2 ? x[0] : 1;
  config.features = x.back();
  config.forest = std::static_pointer_cast<const kernels::PackedForest>(
      s.of_attributes("forest for " + std::string(data_type_name(config.x)),
                      [&] { return kernels::pack_forest(forest_of(s), config.x); }));
  const bool classifier = s.node().op == &ops::TreeEnsembleClassifier;
  const auto output = [&](std::size_t i) { return i < s.node().outputs.size() ? s.node().outputs[i] : program::kNone; };
  const program::ValueId scores = output(classifier ? 1 : 0);
  if (scores != program::kNone) config.scores = s.dtype_of(scores);
  return s.choose_outputs(kernels::forest_candidates(), config, {{s.node().inputs[0]}},
                          {{classifier ? output(0) : program::kNone}, {scores}});
}

}  // namespace norn::runtime
