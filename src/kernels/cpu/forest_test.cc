// Forests against a walk that follows the model's own nodes, with every test, way of a missing value and kind of vote.
#include "kernels/cpu/forest.h"

#include <limits>

#include "kernels/cpu/forest_pack.h"
#include "kernels/cpu/kernel_test.h"

namespace norn::kernels {
namespace {

using namespace test;

struct Kind {
  std::vector<TreeTest> tests;
  bool missing = false;  // nodes that let a NaN pass
  int leaves = 8;        // of a tree, about
  int votes = 1;         // of a leaf; 0: none or one
  std::int64_t targets = 1;
  TreeAggregate aggregate = TreeAggregate::Sum;
  bool round_weights = true;  // to floats
  bool one_target = false;    // of all votes of a tree
};

class Maker {
 public:
  Maker(const Kind& kind, int trees, std::int64_t features, unsigned seed)
      : kind_(kind), features_(features), engine_(seed) {
    forest.rule.targets = kind.targets;
    forest.aggregate = kind.aggregate;
    for (int t = 0; t < trees; ++t) {
      target_ = pick(static_cast<int>(kind.targets));
      forest.roots.push_back(subtree(t % 7 == 3 ? 1 : kind.leaves));
    }
    for (std::int64_t t = 0; t < kind.targets; ++t) forest.base.push_back(0.25 * static_cast<double>(t) - 1);
  }
  Forest forest;

 private:
  int pick(int n) { return static_cast<int>(engine_() % static_cast<unsigned>(n)); }
  Forest::Child subtree(int leaves) {
    if (leaves <= 1) {
      std::vector<Forest::Vote> votes;
      const int n = kind_.votes == 0 ? pick(2) : kind_.votes;
      for (int v = 0; v < n; ++v) {
        const double w = 0.001 * (pick(4000) - 2000);
        const int target = kind_.one_target               ? target_
                           : kind_.votes == kind_.targets ? v
                                                          : pick(static_cast<int>(kind_.targets));
        votes.push_back({target, kind_.round_weights ? static_cast<double>(static_cast<float>(w)) : w});
      }
      forest.leaves.push_back(votes);
      return {true, forest.leaves.size() - 1};
    }
    const std::size_t at = forest.nodes.size();
    Forest::Node n{};
    n.test = kind_.tests[static_cast<std::size_t>(pick(static_cast<int>(kind_.tests.size())))];
    n.feature = pick(static_cast<int>(features_));
    // Some that floats are equal to, some between floats.
    n.value = pick(3) == 0 ? 0.1 * pick(10) : 0.5 * (pick(9) - 4);
    n.missing_yes = kind_.missing && pick(2) == 0;
    if (n.test == TreeTest::Eq) n.missing_yes = false;
    if (n.test == TreeTest::Neq) n.missing_yes = true;
    forest.nodes.push_back(n);
    const int first = 1 + pick(leaves - 1);
    const Forest::Child yes = subtree(first), no = subtree(leaves - first);
    forest.nodes[at].yes = yes;
    forest.nodes[at].no = no;
    return {false, at};
  }

  Kind kind_;
  std::int64_t features_;
  std::mt19937 engine_;
  int target_ = 0;
};

bool passes(const Forest::Node& n, double x) {
  if (std::isnan(x)) return n.missing_yes;
  switch (n.test) {
    case TreeTest::Leq: return x <= n.value;
    case TreeTest::Lt: return x < n.value;
    case TreeTest::Gte: return x >= n.value;
    case TreeTest::Gt: return x > n.value;
    case TreeTest::Eq: return x == n.value;
    default: return x != n.value;
  }
}

template <class T>
std::vector<double> walked(const Forest& f, const T* x) {
  std::vector<std::vector<double>> votes(static_cast<std::size_t>(f.rule.targets));
  for (Forest::Child at : f.roots) {
    while (!at.leaf) {
      const Forest::Node& n = f.nodes[at.at];
      at = passes(n, static_cast<double>(x[n.feature])) ? n.yes : n.no;
    }
    for (const Forest::Vote& vote : f.leaves[at.at])
      votes[static_cast<std::size_t>(vote.target)].push_back(vote.weight);
  }
  std::vector<double> scores;
  for (std::size_t t = 0; t < votes.size(); ++t) {
    double score = 0;
    if (f.aggregate == TreeAggregate::Min && !votes[t].empty())
      score = *std::min_element(votes[t].begin(), votes[t].end());
    else if (f.aggregate == TreeAggregate::Max && !votes[t].empty())
      score = *std::max_element(votes[t].begin(), votes[t].end());
    else
      for (const double v : votes[t]) score += v;
    if (f.aggregate == TreeAggregate::Average) score /= static_cast<double>(f.roots.size());
    scores.push_back(score + f.base[t]);
  }
  return scores;
}

template <class T>
void check(const Kind& kind, DataType type, int trees, bool wide,
           const std::vector<std::int64_t>& row_counts = {0, 1, 3, 8, 17, 64, 65, 150}) {
  constexpr std::int64_t kFeatures = 11;
  const Forest forest = Maker(kind, trees, kFeatures, 7).forest;
  const auto packed = pack_forest(forest, type);
  ASSERT_EQ(packed->refusal, "");
  EXPECT_EQ(packed->wide, wide);
  for (const std::int64_t rows : row_counts) {
    std::vector<T> x;
    std::mt19937 engine(3);
    for (std::int64_t i = 0; i < rows * kFeatures; ++i) {
      const unsigned k = engine() % 40;
      if constexpr (std::is_floating_point_v<T>) {
        const T inf = std::numeric_limits<T>::infinity();
        x.push_back(k == 0   ? std::numeric_limits<T>::quiet_NaN()
                    : k == 1 ? inf
                    : k == 2 ? -inf
                    : k == 3 ? -T{0}
                    : k < 12 ? static_cast<T>(0.1 * k)
                             : static_cast<T>(0.125) * static_cast<T>(k) - 2);
      } else {
        x.push_back(static_cast<T>(k % 7) - 3);
      }
    }
    ForestConfig c{packed, type, DataType::Double, rows, kFeatures};
    ASSERT_EQ(forest_candidates()[0].refuses(c), "");
    Constants constants;
    const auto got = run_at_widths(*forest_candidates()[0].make(c, constants), {x.data(), nullptr},
                                   std::vector<double>(static_cast<std::size_t>(rows * kind.targets)));
    std::vector<double> want;
    for (std::int64_t r = 0; r < rows; ++r)
      for (const double score : walked(forest, x.data() + r * kFeatures)) want.push_back(score);
    EXPECT_EQ(got, want) << rows << " rows";
  }
}

const std::vector<TreeTest> kOrders = {TreeTest::Leq, TreeTest::Lt, TreeTest::Gte, TreeTest::Gt};
const std::vector<TreeTest> kAll = {TreeTest::Leq, TreeTest::Lt, TreeTest::Gte,
                                    TreeTest::Gt,  TreeTest::Eq, TreeTest::Neq};

TEST(Forest, SmallTrees) {
  check<float>({.tests = {TreeTest::Leq}}, DataType::Float, 50, false);
  check<float>({.tests = kOrders, .missing = true, .leaves = 32, .targets = 3, .one_target = true}, DataType::Float, 40,
               false);
  check<float>({.tests = kOrders, .missing = true, .leaves = 5, .votes = 0}, DataType::Float, 200, false);
}
TEST(Forest, LargeTrees) {
  check<float>({.tests = kOrders, .missing = true, .leaves = 300}, DataType::Float, 11, false);
  check<float>({.tests = kOrders, .leaves = 33, .votes = 3, .targets = 3}, DataType::Float, 19, false);
  check<float>({.tests = kOrders, .leaves = 20, .votes = 2, .targets = 5}, DataType::Float, 19, false);
}
TEST(Forest, OtherNumbers) {
  check<float>({.tests = kAll, .missing = true, .leaves = 20}, DataType::Float, 30, true);
  check<float>({.tests = kOrders, .round_weights = false}, DataType::Float, 30, true);
  check<double>({.tests = kAll, .missing = true, .leaves = 40, .votes = 2, .targets = 4}, DataType::Double, 30, true);
  check<std::int64_t>({.tests = kAll, .leaves = 40}, DataType::Int64, 30, true);
  check<std::int32_t>({.tests = kOrders}, DataType::Int32, 30, true);
}
TEST(Forest, Aggregates) {
  for (const TreeAggregate aggregate : {TreeAggregate::Average, TreeAggregate::Min, TreeAggregate::Max})
    for (const int votes : {0, 2})
      check<float>({.tests = kOrders, .votes = votes, .targets = 3, .aggregate = aggregate}, DataType::Float, 9, false);
}
TEST(Forest, ManyTreesForOneRow) {
  check<float>({.tests = kOrders, .leaves = 9}, DataType::Float, 60000, false, {1, 2});
}

TEST(Forest, Classes) {
  Forest f = Maker({.tests = kOrders, .targets = 2}, 20, 4, 5).forest;
  f.rule.labels = {7, -3};
  f.rule.shared_target = 1;
  const auto packed = pack_forest(f, DataType::Float);
  const auto x = random_floats(4 * 70, 9);
  ForestConfig c{packed, DataType::Float, DataType::Float, 70, 4};
  std::vector<std::int64_t> labels(70);
  Constants constants;
  const auto got = run_at_widths(*forest_candidates()[0].make(c, constants),
                                 {const_cast<float*>(x.data()), labels.data()}, std::vector<float>(140));
  for (std::size_t r = 0; r < 70; ++r) {
    const double score = walked(f, x.data() + 4 * r)[1];
    EXPECT_EQ(got[2 * r + 1], static_cast<float>(score));
    EXPECT_EQ(got[2 * r], static_cast<float>(-score));
    EXPECT_EQ(labels[r], score > -score ? -3 : 7);
  }
}

TEST(Forest, Refusals) {
  const auto refusal = [](const Forest& f) { return pack_forest(f, DataType::Float)->refusal; };
  Forest f;
  f.leaves = {{{0, 1.0}}, {{0, 2.0}}};
  f.nodes = {{TreeTest::Leq, 0, 0.5, false, {true, 0}, {true, 1}}};
  f.roots = {{false, 0}};
  EXPECT_EQ(refusal(f), "");
  f.roots.push_back({false, 0});
  EXPECT_NE(refusal(f), "");
  f.roots.pop_back();
  f.nodes[0].test = TreeTest::Member;
  EXPECT_NE(refusal(f), "");
  f.nodes[0] = {TreeTest::Eq, 0, 0.5, true, {true, 0}, {true, 1}};
  EXPECT_NE(refusal(f), "");
  f.nodes[0] = {TreeTest::Leq, 5, 0.5, false, {true, 0}, {true, 1}};
  EXPECT_NE(forest_candidates()[0].refuses({pack_forest(f, DataType::Float), DataType::Float, DataType::Float, 3, 5}),
            "");
  // Nothing but leaves, on rows without columns.
  f.roots = {{true, 1}, {true, 0}};
  f.nodes.clear();
  f.base.clear();
  Constants constants;
  const auto got =
      run_at_widths(*forest_candidates()[0].make(
                        {pack_forest(f, DataType::Float), DataType::Float, DataType::Float, 9, 0}, constants),
                    {nullptr, nullptr}, std::vector<float>(9));
  EXPECT_EQ(got, std::vector<float>(9, 3.0f));
}

}  // namespace
}  // namespace norn::kernels
