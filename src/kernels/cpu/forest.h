// Forests of decision trees: each row walks down every tree, and the votes of the leaves it comes to are brought
// together, in double and in the order of the trees.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/cpu/scores.h"
#include "kernels/kernel.h"

namespace norn::kernels {

enum class TreeTest : std::uint8_t { Leq, Lt, Gte, Gt, Eq, Neq, Member };
enum class TreeAggregate : std::uint8_t { Average, Sum, Min, Max };

// A forest as a model gives it. Its walks end: there is no cycle.
struct Forest {
  struct Child {
    bool leaf;
    std::size_t at;  // in nodes, or in leaves
  };
  struct Node {
    TreeTest test;
    std::int64_t feature;
    double value;
    bool missing_yes;  // the way of a NaN
    Child yes, no;
  };
  struct Vote {
    std::int64_t target;
    double weight;
  };
  std::vector<Node> nodes;
  std::vector<std::vector<Vote>> leaves;
  std::vector<Child> roots;
  TreeAggregate aggregate = TreeAggregate::Sum;
  std::vector<double> base;  // by target; empty: nothing
  ScoreRule rule;
};

// A forest laid out for walking; forest_pack.h.
struct PackedForest;
// For X of this type. What cannot be laid out says why in PackedForest::refusal.
std::shared_ptr<const PackedForest> pack_forest(const Forest& forest, DataType x);

// Operands: X [rows, features], then the outputs: the labels (int64 or strings), or null, and the scores [rows,
// targets], or null. A forest without classes has no labels.
struct ForestConfig {
  std::shared_ptr<const PackedForest> forest;
  DataType x = DataType::Float;       // Float, Double, Int32, Int64
  DataType scores = DataType::Float;  // Float or Double
  std::int64_t rows = 0, features = 0;
};
std::span<const Candidate<ForestConfig>> forest_candidates();

}  // namespace norn::kernels
