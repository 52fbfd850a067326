// Forests laid out for walking. Internal to the kernels.
//
// Every test becomes "x <= bound", which a NaN fails: the branch for a NaN comes first, and where that or the direction
// of the test asks for it, the negative of x is compared. So a walk takes `at += at->child + (x[at->feature] <= bound)`
// for each level, without a branch of the processor. Tests for equality are intervals.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cpu/forest.h"

namespace norn::kernels {

// Neighbouring columns of X, or their negatives, that nodes look at, in the order in which nodes count them.
struct ForestColumns {
  std::int64_t feature, count;
  bool negative;
};

// The two children lie one behind the other, `child` nodes further on; a leaf has none, and the feature of leaves,
// which is NaN in every row. In a leaf `bound` is the weight of its vote, or what `votes` says.
struct NarrowNode {
  using Number = float;
  float bound;
  std::uint16_t feature, child;
  float weight() const { return bound; }
  bool second(float x) const { return x <= bound; }
};
struct WideNode {
  using Number = double;
  double least, bound;
  std::uint32_t feature, child;
  double weight() const { return bound; }
  bool second(double x) const { return (x <= bound) & (x >= least); }
};

// A test of a small tree. All of them are made: a row that passes one cannot reach the leaves outside of `mask`, and it
// ends at the first of the remaining leaves, counted from the highest bit.
struct QuickTest {
  float bound;
  std::uint32_t feature, mask;
};
inline constexpr std::size_t kQuickLeaves = 32;

struct ForestTree {
  std::uint32_t root = 0;  // in nodes
  std::uint32_t depth = 0;
  std::int32_t target = -1;  // of all its votes; -1: leaves refer to `votes`
  std::uint32_t tests = 0;   // of a small tree, beginning at quick_tests[first_test]
  std::uint32_t first_test = 0;
  std::int32_t quick_leaves = -1;  // the first of kQuickLeaves weights; -1: not a small tree
};

// Nodes lie so that a walk takes two levels, three from the root, within one line of the cache.
inline constexpr std::size_t kLine = 64;

template <class Node>
struct ForestNodes {
  std::shared_ptr<const void> memory;  // aligned to lines
  const Node* nodes() const { return static_cast<const Node*>(memory.get()); }
  std::vector<typename Node::Number> weights;  // of votes
};

struct PackedForest {
  std::string refusal;
  bool wide = false;  // which of the two has the nodes
  ForestNodes<NarrowNode> narrow;
  ForestNodes<WideNode> broad;
  std::vector<ForestTree> trees;
  // Of each tree, with some trees again so that groups of kGroup are full; and of each group the depth of the deepest.
  std::vector<std::uint32_t> roots;
  std::vector<std::int32_t> targets;
  std::vector<std::uint32_t> group_depths;
  bool any_quick = false, any_walked = false, any_votes = false;  // votes: leaves that refer to them
  std::int64_t column_count = 0;
  std::vector<ForestColumns> columns;
  // Leaf k has votes [first_vote[k], first_vote[k + 1]); if dense, a vote for each target, in order.
  std::vector<std::uint32_t> first_vote, vote_targets;
  bool dense = false;
  std::vector<QuickTest> quick_tests;
  std::vector<float> quick_weights;
  Forest scores;              // without nodes, leaves and roots
  std::int64_t features = 0;  // that X has to have, at least
};

inline constexpr std::size_t kGroup = 16;  // trees that one row walks down at once

// Small trees, for the rows of a block at once.
struct QuickTable {
  std::int64_t lanes;  // rows of one vector
  // Adds the votes of trees [first, last) to sums [targets][stride]; columns lie at x [columns][stride]. Rows are
  // 1, 2 or 4 vectors.
  void (*run)(const PackedForest& forest, std::size_t first, std::size_t last, const float* x, std::int64_t stride,
              int vectors, double* sums);
};
const QuickTable& quick_table();
inline constexpr std::int64_t kQuickVectors = 4;

}  // namespace norn::kernels
