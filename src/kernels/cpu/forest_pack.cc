#include "kernels/cpu/forest_pack.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace norn::kernels {
inline namespace forest_pack_cc {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr std::int64_t kMostColumns = 0xffff;  // of narrow nodes
constexpr std::size_t kMostNodes = std::size_t{1} << 31;
constexpr std::int64_t kMostTargets = 1 << 16;

// A test as an interval of the column, which may be the negative of a feature; NaN is outside of it.
struct Interval {
  double least, bound;
  bool negative;
  bool yes_inside;
};

// The greatest number below v; NaN if there is none.
double below(double v) { return v == -kInf ? std::nan("") : std::nextafter(v, -kInf); }

Interval interval_of(const Forest::Node& node) {
  const double v = node.value;
  // x > v is -x < -v. Where a NaN passes, the test is whether x fails.
  Interval i{-kInf, 0, false, true};
  switch (node.test) {
    case TreeTest::Leq:
    case TreeTest::Lt: {
      const bool with_bound = node.test == TreeTest::Leq;
      if (node.missing_yes && !std::isnan(v)) return {-kInf, with_bound ? below(-v) : -v, true, false};
      i.bound = with_bound ? v : below(v);
      break;
    }
    case TreeTest::Gte:
    case TreeTest::Gt: {
      const bool with_bound = node.test == TreeTest::Gte;
      if (node.missing_yes && !std::isnan(v)) return {-kInf, with_bound ? below(v) : v, false, false};
      i.negative = true;
      i.bound = with_bound ? -v : below(-v);
      break;
    }
    case TreeTest::Eq: i = {v, v, false, true}; break;
    default: i = {v, v, false, false};
  }
  return i;
}

// Whether the packed form can express what the test does with a NaN.
bool has_form(const Forest::Node& node) {
  if (node.test == TreeTest::Eq) return !node.missing_yes;
  if (node.test == TreeTest::Neq) return node.missing_yes;
  return !(node.missing_yes && std::isnan(node.value));
}

// The greatest float that is not above v.
float rounded_down(double v) {
  const auto f = static_cast<float>(v);
  return static_cast<double>(f) > v ? std::nextafterf(f, -std::numeric_limits<float>::infinity()) : f;
}
bool is_float(double v) { return std::isnan(v) || static_cast<double>(static_cast<float>(v)) == v; }

class Packer {
 public:
  Packer(const Forest& forest, DataType x, PackedForest& to) : forest_(forest), to_(to) {
    to.scores = forest;
    to.scores.nodes.clear();
    to.scores.leaves.clear();
    to.scores.roots.clear();
    for (const Forest::Node& n : forest.nodes) to.features = std::max(to.features, n.feature + 1);
    to.refusal = refusal();
    if (!to.refusal.empty()) return;
    number_columns();
    to.wide = x != DataType::Float || to.column_count >= kMostColumns || !narrow_numbers() || !lay(to.narrow);
    if (to.wide) {
      to.narrow = {};
      to.trees.clear();
      lay(to.broad);
    }
    for (std::size_t t = 0; t < to.trees.size(); ++t) {
      const ForestTree& tree = to.trees[t];
      to.roots.push_back(tree.root);
      to.targets.push_back(tree.target);
      if (t % kGroup == 0) to.group_depths.push_back(0);
      to.group_depths.back() = std::max(to.group_depths.back(), tree.depth);
      (tree.quick_leaves >= 0 ? to.any_quick : to.any_walked) = true;
      to.any_votes = to.any_votes || tree.target < 0;
    }
    while (to.roots.size() % kGroup != 0) to.roots.push_back(to.roots[0]);
  }

 private:
  // A node of a tree and where it lies.
  struct Placed {
    Forest::Child child;
    std::size_t at;
    std::uint32_t level;
  };

  std::string refusal() const {
    if (forest_.rule.targets > kMostTargets) return "more targets than " + std::to_string(kMostTargets);
    std::size_t votes = 0;
    for (const auto& leaf : forest_.leaves) votes += leaf.size();
    if (forest_.nodes.size() + forest_.leaves.size() + votes + forest_.roots.size() > kMostNodes / 4)
      return "more nodes than 32 bits count";
    std::vector<bool> reached(forest_.nodes.size(), false);
    const auto reach = [&](const Forest::Child& child) {
      if (child.leaf) return true;
      const bool fresh = !reached[child.at];
      reached[child.at] = true;
      return fresh;
    };
    for (const Forest::Child& root : forest_.roots)
      if (!reach(root)) return "a node that several branches lead to";
    for (const Forest::Node& n : forest_.nodes) {
      if (n.test == TreeTest::Member) return "tests of membership";
      if (!has_form(n)) return "a missing value takes another way than a number that fails the test";
      if (!reach(n.yes) || !reach(n.no)) return "a node that several branches lead to";
    }
    return "";
  }

  void number_columns() {
    std::map<std::pair<bool, std::int64_t>, std::uint32_t> numbers;
    for (const Forest::Node& n : forest_.nodes) numbers.try_emplace({interval_of(n).negative, n.feature});
    for (auto& [column, number] : numbers) {
      const auto [negative, feature] = column;
      number = static_cast<std::uint32_t>(to_.column_count++);
      const bool follows = !to_.columns.empty() && to_.columns.back().negative == negative &&
                           to_.columns.back().feature + to_.columns.back().count == feature;
      if (follows)
        ++to_.columns.back().count;
      else
        to_.columns.push_back({feature, 1, negative});
    }
    columns_of_.reserve(forest_.nodes.size());
    for (const Forest::Node& n : forest_.nodes) columns_of_.push_back(numbers[{interval_of(n).negative, n.feature}]);
  }

  // Whether floats say all: X is float, so a bound may be rounded down; equality takes another form.
  bool narrow_numbers() const {
    for (const Forest::Node& n : forest_.nodes)
      if (n.test == TreeTest::Eq || n.test == TreeTest::Neq) return false;
    for (const auto& leaf : forest_.leaves)
      for (const Forest::Vote& vote : leaf)
        if (!is_float(vote.weight)) return false;
    return true;
  }

  // The target of all votes below `root`, which each leaf casts one of; -1 if they differ. A leaf without a vote is one
  // of 0, but for the least and the greatest.
  std::int32_t common_target(const std::vector<Placed>& placed) const {
    std::int64_t target = -1;
    const bool sums = forest_.aggregate == TreeAggregate::Sum || forest_.aggregate == TreeAggregate::Average;
    if (!sums) return -1;
    for (const Placed& p : placed) {
      if (!p.child.leaf) continue;
      const auto& votes = forest_.leaves[p.child.at];
      if (votes.size() > 1 || (!votes.empty() && target >= 0 && votes[0].target != target)) return -1;
      if (!votes.empty()) target = votes[0].target;
    }
    return static_cast<std::int32_t>(std::max<std::int64_t>(target, 0));
  }

  void lay_votes(auto& to) {
    const auto targets = static_cast<std::size_t>(forest_.rule.targets);
    to_.dense = true;
    for (const auto& leaf : forest_.leaves) {
      to_.dense = to_.dense && leaf.size() == targets;
      for (std::size_t v = 0; v < leaf.size(); ++v)
        to_.dense = to_.dense && leaf[v].target == static_cast<std::int64_t>(v);
    }
    to_.first_vote = {0};
    to_.vote_targets.clear();
    for (const auto& leaf : forest_.leaves) {
      for (const Forest::Vote& vote : leaf) {
        to_.vote_targets.push_back(static_cast<std::uint32_t>(vote.target));
        to.weights.push_back(static_cast<std::remove_cvref_t<decltype(to.weights[0])>>(vote.weight));
      }
      to_.first_vote.push_back(static_cast<std::uint32_t>(to_.vote_targets.size()));
    }
  }

  template <class Node>
  class Tree {
   public:
    Tree(const Packer& packer, std::vector<Node>& nodes) : packer_(packer), nodes_(nodes) {}

    // False if a distance between nodes is too large for the form.
    bool lay(const Forest::Child& root) {
      make_room(1 + (root.leaf ? 0 : 2 + inner_below(root) * 2));
      placed.push_back({root, nodes_.size(), 0});
      nodes_.emplace_back();
      // Nodes whose children begin a stretch of their own; the root's is its own.
      std::vector<std::size_t> parents;
      if (!root.leaf) parents.push_back(0);
      for (std::size_t i = 0; i < parents.size(); ++i) {
        if (i > 0) make_room(2 + inner_below(placed[parents[i]].child) * 2);
        if (!lay_pair(parents[i])) return false;
        const std::size_t pair = placed.size() - 2;
        for (const std::size_t child : {pair, pair + 1}) {
          if (placed[child].child.leaf) continue;
          if (!lay_pair(child)) return false;
          for (const std::size_t next : {placed.size() - 2, placed.size() - 1})
            if (!placed[next].child.leaf) parents.push_back(next);
        }
      }
      return true;
    }

    std::vector<Placed> placed;

   private:
    std::size_t inner_below(const Forest::Child& parent) const {
      const Forest::Node& n = packer_.forest_.nodes[parent.at];
      return static_cast<std::size_t>(!n.yes.leaf) + static_cast<std::size_t>(!n.no.leaf);
    }
    // The next `count` nodes lie in one line if they can.
    void make_room(std::size_t count) {
      const std::size_t in_line = nodes_.size() * sizeof(Node) % kLine;
      if (in_line + count * sizeof(Node) > kLine) nodes_.resize(nodes_.size() + (kLine - in_line) / sizeof(Node));
    }
    // Puts the children behind what there is, the one for a NaN first.
    bool lay_pair(std::size_t parent) {
      const Placed at = placed[parent];
      const Forest::Node& n = packer_.forest_.nodes[at.child.at];
      const Interval interval = interval_of(n);
      const std::size_t child = nodes_.size() - at.at;
      Node laid{};
      if constexpr (std::is_same_v<typename Node::Number, float>) {
        if (child > 0xffff) return false;
        laid.bound = rounded_down(interval.bound);
      } else {
        laid.least = interval.least;
        laid.bound = interval.bound;
      }
      laid.feature = static_cast<decltype(laid.feature)>(packer_.columns_of_[at.child.at]);
      laid.child = static_cast<decltype(laid.child)>(child);
      nodes_[at.at] = laid;
      placed.push_back({interval.yes_inside ? n.no : n.yes, nodes_.size(), at.level + 1});
      placed.push_back({interval.yes_inside ? n.yes : n.no, nodes_.size() + 1, at.level + 1});
      nodes_.resize(nodes_.size() + 2);
      return true;
    }

    const Packer& packer_;
    std::vector<Node>& nodes_;
  };

  template <class Node>
  bool lay(ForestNodes<Node>& to) {
    using Number = typename Node::Number;
    std::vector<Node> nodes;
    bool votes_laid = false;
    for (const Forest::Child& root : forest_.roots) {
      Tree<Node> laid(*this, nodes);
      if (!laid.lay(root)) return false;
      ForestTree tree;
      tree.root = static_cast<std::uint32_t>(laid.placed[0].at);
      for (const Placed& p : laid.placed) tree.depth = std::max(tree.depth, p.level);
      tree.target = common_target(laid.placed);
      if (tree.target < 0 && !votes_laid) {
        lay_votes(to);
        votes_laid = true;
      }
      for (const Placed& p : laid.placed) {
        if (!p.child.leaf) continue;
        Node& leaf = nodes[p.at];
        leaf.feature = static_cast<decltype(leaf.feature)>(to_.column_count);
        const auto& votes = forest_.leaves[p.child.at];
        if (tree.target >= 0)
          leaf.bound = votes.empty() ? Number{0} : static_cast<Number>(votes[0].weight);
        else if constexpr (std::is_same_v<Number, float>)
          leaf.bound = std::bit_cast<float>(static_cast<std::uint32_t>(p.child.at));
        else
          leaf.bound = std::bit_cast<double>(static_cast<std::uint64_t>(p.child.at));
      }
      if constexpr (std::is_same_v<Number, float>)
        if (tree.target >= 0) lay_quick(nodes, tree, laid.placed.size() / 2 + 1);
      to_.trees.push_back(tree);
    }
    const std::shared_ptr<void> memory = aligned_buffer(nodes.size() * sizeof(Node));
    std::copy(nodes.begin(), nodes.end(), static_cast<Node*>(memory.get()));
    to.memory = memory;
    return true;
  }

  void lay_quick(const std::vector<NarrowNode>& nodes, ForestTree& tree, std::size_t leaves) {
    if (leaves > kQuickLeaves) return;
    tree.first_test = static_cast<std::uint32_t>(to_.quick_tests.size());
    tree.quick_leaves = static_cast<std::int32_t>(to_.quick_weights.size());
    to_.quick_weights.resize(to_.quick_weights.size() + kQuickLeaves, 0.0f);
    std::uint32_t met = 0;
    lay_quick_below(nodes, tree, tree.root, met);
    tree.tests = static_cast<std::uint32_t>(to_.quick_tests.size()) - tree.first_test;
  }
  // In the order of leaves; `met` counts those before.
  void lay_quick_below(const std::vector<NarrowNode>& nodes, const ForestTree& tree, std::size_t at,
                       std::uint32_t& met) {
    const NarrowNode& n = nodes[at];
    if (n.child == 0) {
      to_.quick_weights[static_cast<std::size_t>(tree.quick_leaves) + met++] = n.bound;
      return;
    }
    const std::uint32_t begin = met;
    lay_quick_below(nodes, tree, at + n.child, met);
    std::uint32_t first_branch = 0;
    for (std::uint32_t leaf = begin; leaf < met; ++leaf) first_branch |= 0x80000000u >> leaf;
    to_.quick_tests.push_back({n.bound, n.feature, ~first_branch});
    lay_quick_below(nodes, tree, at + n.child + 1u, met);
  }

  const Forest& forest_;
  PackedForest& to_;
  std::vector<std::uint32_t> columns_of_;  // of each node
};

}  // namespace
}  // namespace forest_pack_cc

std::shared_ptr<const PackedForest> pack_forest(const Forest& forest, DataType x) {
  auto packed = std::make_shared<PackedForest>();
  const Packer packer(forest, x, *packed);
  return packed;
}

}  // namespace norn::kernels
