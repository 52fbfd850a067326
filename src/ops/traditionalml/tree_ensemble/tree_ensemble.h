// Forests of decision trees.
#pragma once
#include <cstdint>
#include <vector>

#include "ops/common/scores.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator TreeEnsemble, TreeEnsembleClassifier, TreeEnsembleRegressor;

enum class TreeTest : std::uint8_t { Leq, Lt, Gte, Gt, Eq, Neq, Member };
enum class TreeAggregate : std::uint8_t { Average, Sum, Min, Max };

// Trees without a cycle. A walk begins at a root and ends at a leaf, whose votes count.
struct Forest {
  struct Child {
    bool leaf;
    std::size_t at;  // in nodes, or in leaves
  };
  struct Node {
    TreeTest test;
    std::int64_t feature;
    double value;         // what the feature is compared with
    std::size_t members;  // in `sets`, of Member
    bool missing_true;    // the way of a NaN
    Child yes, no;
  };
  struct Vote {
    std::int64_t target;
    double weight;
  };
  std::vector<Node> nodes;
  std::vector<std::vector<Vote>> leaves;
  std::vector<Child> roots;
  std::vector<std::vector<double>> sets;  // sorted
  std::int64_t targets = 0;
  std::int64_t features = 0;  // how many X has to have, at least
  TreeAggregate aggregate = TreeAggregate::Sum;
  PostTransform transform = PostTransform::None;
  std::vector<double> base;  // by target, added to what the trees give; empty: nothing
};
Forest resolve_tree_ensemble(const opset::NodeView& node);
Forest resolve_tree_regressor(const opset::NodeView& node);
// The targets are the classes.
Forest resolve_tree_classifier(const opset::NodeView& node, const Labels& labels);
// Whether two classes have one score between them: every vote is for the same one.
bool votes_for_one(const Forest& forest);
// That score is the second class's. If no weight is negative or if it goes through PROBIT, it is a probability, and the
// first class has 1 - score; else the first one has -score.
struct SharedScore {
  std::int64_t target = -1;  // what the votes are for; -1: nothing is shared
  bool probability = false;
};
SharedScore shared_score(const Forest& forest);

}  // namespace norn::ops
