// Forests from attributes, either notation: checked, so that every walk ends at a leaf.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "base/number.h"
#include "base/text.h"
#include "ir/tensor_data.h"
#include "norn/value.h"
#include "ops/traditionalml/tree_ensemble/tree_ensemble.h"

namespace norn::ops {
inline namespace tree_ensemble_forest_cc {
namespace {

using opset::NodeView;
using Child = Forest::Child;

// Elements of a floating tensor or list, given as the attribute `name` or `name`_as_tensor.
std::vector<double> from_tensor(const NodeView& node, const ir::Tensor& given, const std::string& name) {
  const Tensor t = ir::to_value(given);
  std::vector<double> values;
  for (std::int64_t i = 0; i < t.size(); ++i) {
    if (t.dtype() == DataType::Double)
      values.push_back(t.as<double>()[i]);
    else if (t.dtype() == DataType::Float)
      values.push_back(t.as<float>()[i]);
    else if (t.dtype() == DataType::Float16)
      values.push_back(base::half_to_float(t.as<std::uint16_t>()[i]));
    else
      node.fail(name + " must be of a floating type, not " + std::string(data_type_name(t.dtype())));
  }
  return values;
}
std::vector<double> numbers(const NodeView& node, const std::string& name) {
  const opset::Attrs& attrs = node.attrs();
  const std::string as_tensor = name + "_as_tensor";
  const ir::Tensor* tensor = attrs.declares(as_tensor) ? attrs.tensor(as_tensor) : nullptr;
  const auto list = attrs.find_floats(name);
  if (tensor && list && !list->empty()) node.fail("only one of " + name + " and " + as_tensor + " may be given");
  if (tensor) return from_tensor(node, *tensor, as_tensor);
  return list ? std::vector<double>(list->begin(), list->end()) : std::vector<double>{};
}
std::vector<double> tensor_numbers(const NodeView& node, const std::string& name) {
  const ir::Tensor* tensor = node.attrs().tensor(name);
  if (!tensor) node.fail("the attribute " + name + " is missing");
  return from_tensor(node, *tensor, name);
}

void require_size(const NodeView& node, std::size_t size, std::size_t wanted, const std::string& name) {
  if (size != wanted)
    node.fail(name + " must have " + std::to_string(wanted) + " elements, not " + std::to_string(size));
}

std::vector<std::int64_t> missing_ways(const NodeView& node, std::size_t nodes) {
  auto ways = node.attrs().find_ints("nodes_missing_value_tracks_true").value_or(std::vector<std::int64_t>{});
  if (ways.empty()) ways.assign(nodes, 0);
  require_size(node, ways.size(), nodes, "nodes_missing_value_tracks_true");
  return ways;
}

// A node may be reached on several ways, but not from itself.
void require_no_cycle(const NodeView& node, const Forest& forest) {
  enum : std::uint8_t { kNew, kOpen, kDone };
  std::vector<std::uint8_t> state(forest.nodes.size(), kNew);
  std::vector<std::pair<std::size_t, int>> way;
  for (const Child& root : forest.roots) {
    if (root.leaf || state[root.at] == kDone) continue;
    way.emplace_back(root.at, 0);
    state[root.at] = kOpen;
    while (!way.empty()) {
      auto& [at, taken] = way.back();
      if (taken == 2) {
        state[at] = kDone;
        way.pop_back();
        continue;
      }
      const Child& next = taken++ == 0 ? forest.nodes[at].yes : forest.nodes[at].no;
      if (next.leaf || state[next.at] == kDone) continue;
      if (state[next.at] == kOpen) node.fail("the trees have a cycle through node " + std::to_string(next.at));
      state[next.at] = kOpen;
      way.emplace_back(next.at, 0);
    }
  }
}

void require_targets(const NodeView& node, Forest& forest) {
  if (forest.targets < 1) node.fail("n_targets must be positive, not " + std::to_string(forest.targets));
  for (const auto& votes : forest.leaves)
    for (const Forest::Vote& vote : votes)
      if (vote.target < 0 || vote.target >= forest.targets)
        node.fail("a leaf votes for " + std::to_string(vote.target) + ", but there are " +
                  std::to_string(forest.targets) + " targets or classes");
  for (const Forest::Node& n : forest.nodes) {
    if (n.feature < 0 || n.feature == INT64_MAX) node.fail("nodes_featureids has " + std::to_string(n.feature));
    forest.features = std::max(forest.features, n.feature + 1);
  }
}

// Places of nodes in lists that name them by (tree, node) pairs. Most files give them tree by tree, counted from 0.
class NodeIndex {
 public:
  NodeIndex(const NodeView& node, const std::vector<std::int64_t>& trees, const std::vector<std::int64_t>& ids)
      : ids_(ids), order_(trees.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    const auto before = [&](std::size_t a, std::size_t b) {
      return trees[a] != trees[b] ? trees[a] < trees[b] : ids[a] < ids[b];
    };
    if (!std::is_sorted(order_.begin(), order_.end(), before)) std::stable_sort(order_.begin(), order_.end(), before);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const std::size_t at = order_[i];
      if (i == 0 || trees[order_[i - 1]] != trees[at])
        ranges_.push_back({trees[at], i, i});
      else if (ids[order_[i - 1]] == ids[at])
        node.fail("node " + std::to_string(ids[at]) + " of tree " + std::to_string(trees[at]) + " is given twice");
      ranges_.back().end = i + 1;
    }
  }
  // Throws if there is none.
  std::size_t find(const NodeView& node, std::int64_t tree, std::int64_t id) {
    if (last_ >= ranges_.size() || ranges_[last_].tree != tree)
      last_ = static_cast<std::size_t>(
          std::lower_bound(ranges_.begin(), ranges_.end(), tree,
                           [](const Range& range, std::int64_t wanted) { return range.tree < wanted; }) -
          ranges_.begin());
    auto begin = order_.begin(), end = begin;
    if (last_ < ranges_.size() && ranges_[last_].tree == tree) {
      end = begin + static_cast<std::ptrdiff_t>(ranges_[last_].end);
      begin += static_cast<std::ptrdiff_t>(ranges_[last_].begin);
    }
    if (id >= 0 && id < end - begin && ids_[*(begin + id)] == id) return *(begin + id);
    const auto at =
        std::lower_bound(begin, end, id, [&](std::size_t i, std::int64_t wanted) { return ids_[i] < wanted; });
    if (at == end || ids_[*at] != id)
      node.fail("there is no node " + std::to_string(id) + " in tree " + std::to_string(tree));
    return *at;
  }

 private:
  struct Range {
    std::int64_t tree;
    std::size_t begin, end;  // in order_
  };
  const std::vector<std::int64_t>& ids_;
  std::vector<std::size_t> order_;
  std::vector<Range> ranges_;
  std::size_t last_ = 0;  // the range of the last search
};

// The lists nodes_* of the older notation, by (tree, node) pairs, and votes of the lists `prefix`_*.
Forest older_forest(const NodeView& node, const std::string& prefix) {
  constexpr std::string_view kModes[] = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE",
                                         "BRANCH_GT",  "BRANCH_EQ", "BRANCH_NEQ"};
  const opset::Attrs& attrs = node.attrs();
  const auto modes = attrs.strings("nodes_modes");
  const std::size_t n = modes.size();
  const auto list = [&](const std::string& name) {
    auto values = attrs.ints(name);
    require_size(node, values.size(), n, name);
    return values;
  };
  const auto trees = list("nodes_treeids"), ids = list("nodes_nodeids"), features = list("nodes_featureids");
  const auto yes = list("nodes_truenodeids"), no = list("nodes_falsenodeids");
  const auto values = numbers(node, "nodes_values");
  require_size(node, values.size(), n, "nodes_values");
  const auto missing = missing_ways(node, n);

  Forest forest;
  NodeIndex index(node, trees, ids);
  std::vector<Child> places;
  places.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    const bool leaf = modes[i] == "LEAF";
    const auto* mode = std::find(std::begin(kModes), std::end(kModes), modes[i]);
    if (!leaf && mode == std::end(kModes)) node.fail("there is no mode of nodes " + base::quoted(modes[i]));
    places.push_back({leaf, leaf ? forest.leaves.size() : forest.nodes.size()});
    if (leaf)
      forest.leaves.emplace_back();
    else
      forest.nodes.push_back({.test = static_cast<TreeTest>(mode - kModes),
                              .feature = features[i],
                              .value = values[i],
                              .members = 0,
                              .missing_true = missing[i] != 0,
                              .yes = {},
                              .no = {}});
  }
  const auto find = [&](std::int64_t tree, std::int64_t id) { return places[index.find(node, tree, id)]; };
  std::map<std::int64_t, Child> roots;  // of each tree, the node that is given first
  std::size_t inner = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i == 0 || trees[i] != trees[i - 1]) roots.emplace(trees[i], places[i]);
    if (modes[i] == "LEAF") continue;
    forest.nodes[inner].yes = find(trees[i], yes[i]);
    forest.nodes[inner++].no = find(trees[i], no[i]);
  }
  for (const auto& [tree, root] : roots) forest.roots.push_back(root);

  const auto targets = attrs.ints(prefix + "_ids"), vote_trees = attrs.ints(prefix + "_treeids"),
             vote_nodes = attrs.ints(prefix + "_nodeids");
  const auto weights = numbers(node, prefix + "_weights");
  require_size(node, vote_trees.size(), targets.size(), prefix + "_treeids");
  require_size(node, vote_nodes.size(), targets.size(), prefix + "_nodeids");
  require_size(node, weights.size(), targets.size(), prefix + "_weights");
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Child at = find(vote_trees[i], vote_nodes[i]);
    if (at.leaf) forest.leaves[at.at].push_back({targets[i], weights[i]});
  }
  forest.base = numbers(node, "base_values");
  forest.transform = resolve_post_transform(node);
  require_no_cycle(node, forest);
  return forest;
}

// The sets that membership_values lists, each with a NaN behind it; behind the last there need not be one.
std::vector<std::vector<double>> member_sets(const NodeView& node) {
  std::vector<std::vector<double>> sets;
  if (!node.attrs().tensor("membership_values")) return sets;
  bool open = false;
  for (const double v : tensor_numbers(node, "membership_values")) {
    if (!open) sets.emplace_back();
    open = !std::isnan(v);
    if (open) sets.back().push_back(v);
  }
  for (auto& set : sets) std::sort(set.begin(), set.end());
  return sets;
}

}  // namespace
}  // namespace tree_ensemble_forest_cc

Forest resolve_tree_ensemble(const NodeView& node) {
  const opset::Attrs& attrs = node.attrs();
  const ir::Tensor* mode_tensor = attrs.tensor("nodes_modes");
  if (!mode_tensor) node.fail("the attribute nodes_modes is missing");
  const Tensor modes = ir::to_value(*mode_tensor);
  if (modes.dtype() != DataType::Uint8)
    node.fail("nodes_modes must be uint8, not " + std::string(data_type_name(modes.dtype())));
  const auto n = static_cast<std::size_t>(modes.size());
  const auto list = [&](const std::string& name) {
    auto values = attrs.ints(name);
    require_size(node, values.size(), n, name);
    return values;
  };
  const auto features = list("nodes_featureids"), yes = list("nodes_truenodeids"), no = list("nodes_falsenodeids");
  const auto yes_leaf = list("nodes_trueleafs"), no_leaf = list("nodes_falseleafs");
  const auto splits = tensor_numbers(node, "nodes_splits"), weights = tensor_numbers(node, "leaf_weights");
  require_size(node, splits.size(), n, "nodes_splits");
  const auto targets = attrs.ints("leaf_targetids");
  require_size(node, weights.size(), targets.size(), "leaf_weights");
  const auto missing = missing_ways(node, n);

  Forest forest;
  for (std::size_t i = 0; i < targets.size(); ++i) forest.leaves.push_back({{targets[i], weights[i]}});
  const auto child = [&](std::int64_t at, bool leaf) {
    const std::size_t size = leaf ? forest.leaves.size() : n;
    if (at < 0 || static_cast<std::size_t>(at) >= size)
      node.fail("a branch leads to " + std::string(leaf ? "leaf " : "node ") + std::to_string(at) + " of " +
                std::to_string(size));
    return Child{leaf, static_cast<std::size_t>(at)};
  };
  forest.sets = member_sets(node);
  std::size_t sets = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint8_t mode = modes.as<std::uint8_t>()[i];
    if (mode > static_cast<std::uint8_t>(TreeTest::Member))
      node.fail("nodes_modes has " + std::to_string(mode) + ", which is not a mode");
    const auto test = static_cast<TreeTest>(mode);
    forest.nodes.push_back({.test = test,
                            .feature = features[i],
                            .value = splits[i],
                            .members = test == TreeTest::Member ? sets++ : 0,
                            .missing_true = missing[i] != 0,
                            .yes = child(yes[i], yes_leaf[i] != 0),
                            .no = child(no[i], no_leaf[i] != 0)});
  }
  require_size(node, forest.sets.size(), sets, "the sets of membership_values");
  for (const std::int64_t root : attrs.ints("tree_roots")) forest.roots.push_back(child(root, false));
  forest.targets = attrs.i("n_targets");
  const std::int64_t aggregate = attrs.i("aggregate_function"), transform = attrs.i("post_transform");
  if (aggregate < 0 || aggregate > 3) node.fail("aggregate_function must be 0 to 3, not " + std::to_string(aggregate));
  if (transform < 0 || transform > 4) node.fail("post_transform must be 0 to 4, not " + std::to_string(transform));
  forest.aggregate = static_cast<TreeAggregate>(aggregate);
  forest.transform = static_cast<PostTransform>(transform);
  require_no_cycle(node, forest);
  require_targets(node, forest);
  return forest;
}

Forest resolve_tree_regressor(const NodeView& node) {
  Forest forest = older_forest(node, "target");
  forest.targets = node.attrs().i("n_targets");
  const std::string name = node.attrs().s("aggregate_function");
  constexpr std::string_view kNames[] = {"AVERAGE", "SUM", "MIN", "MAX"};
  const auto* at = std::find(std::begin(kNames), std::end(kNames), name);
  if (at == std::end(kNames))
    node.fail("aggregate_function must be AVERAGE, SUM, MIN or MAX, not " + base::quoted(name));
  forest.aggregate = static_cast<TreeAggregate>(at - kNames);
  require_targets(node, forest);
  if (!forest.base.empty())
    require_size(node, forest.base.size(), static_cast<std::size_t>(forest.targets), "base_values");
  return forest;
}

Forest resolve_tree_classifier(const NodeView& node, const Labels& labels) {
  Forest forest = older_forest(node, "class");
  forest.targets = labels.size();
  require_targets(node, forest);
  if (forest.base.empty()) return forest;
  if (forest.base.size() == 1 && labels.size() == 2 && votes_for_one(forest)) forest.base.push_back(forest.base[0]);
  require_size(node, forest.base.size(), static_cast<std::size_t>(forest.targets), "base_values");
  return forest;
}

bool votes_for_one(const Forest& forest) {
  if (forest.targets != 2) return false;
  std::int64_t one = -1;
  for (const auto& votes : forest.leaves) {
    for (const Forest::Vote& vote : votes) {
      if (one >= 0 && vote.target != one) return false;
      one = vote.target;
    }
  }
  return one >= 0;
}

SharedScore shared_score(const Forest& forest) {
  SharedScore shared;
  if (!votes_for_one(forest)) return shared;
  bool positive = true;
  for (const auto& votes : forest.leaves) {
    for (const Forest::Vote& vote : votes) {
      shared.target = vote.target;
      positive &= vote.weight >= 0;
    }
  }
  shared.probability =
      forest.transform == PostTransform::Probit || (forest.transform == PostTransform::None && positive);
  return shared;
}

}  // namespace norn::ops
