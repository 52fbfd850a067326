// Walks over forests: for many rows tree by tree, small trees by their tests; for a few rows, several trees at once.
// Either way the votes of a row are added in the order of the trees, in double.
#include "kernels/cpu/forest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/division.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/forest_pack.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
inline namespace forest_cc {
namespace {

constexpr std::int64_t kBlock = 64;  // rows that are done together
constexpr std::int64_t kRows = 8;    // rows that walk down a tree at once; fewer walk down several trees
constexpr double kLevelNs = 0.4, kTestNs = 0.02;

// Several walks at once, so that none waits for memory alone. With `step` 0 all are of one row.
template <std::size_t walks, class Node>
void walk(const Node** at, const typename Node::Number* x, std::int64_t step, std::uint32_t depth) {
  constexpr std::uint32_t kLook = 4;  // levels between looks whether all walks have ended
  for (std::uint32_t done = 0; done < depth; done += kLook) {
    for (std::uint32_t level = std::min(kLook, depth - done); level > 0; --level)
      for (std::size_t j = 0; j < walks; ++j) {
        const Node* node = at[j];
        const bool second = node->second(x[static_cast<std::int64_t>(j) * step + node->feature]);
        at[j] = node + (node->child + static_cast<std::uint32_t>(second));
      }
    if (done + kLook >= depth) return;
    std::uint32_t left = 0;
    for (std::size_t j = 0; j < walks; ++j) left |= at[j]->child;
    if (left == 0) return;
  }
}

template <class Node>
class ForestKernel final : public Kernel {
 public:
  using Number = typename Node::Number;

  explicit ForestKernel(const ForestConfig& c) : c_(c), forest_(*c.forest) {
    columns_ = forest_.column_count;
    trees_ = static_cast<std::int64_t>(forest_.trees.size());
    groups_ = static_cast<std::int64_t>(forest_.group_depths.size());
    for (std::size_t t = 0; t < forest_.trees.size(); ++t) {
      const ForestTree& tree = forest_.trees[t];
      walk_ns_ += kLevelNs * (tree.depth + 2);
      block_row_ns_ += tree.quick_leaves >= 0 ? kTestNs * tree.tests + 1 : kLevelNs * (tree.depth + 2);
    }
    block_row_ns_ += static_cast<double>(forest_.scores.rule.targets) * 8 + static_cast<double>(columns_);
    const auto targets = static_cast<std::size_t>(forest_.scores.rule.targets);
    const std::int64_t stride = few() ? 1 : kBlock;
    const auto rows = static_cast<std::size_t>(stride), row = static_cast<std::size_t>(columns_ + 1);
    const bool extremes = sums_extremes();
    voted_at_ = align64(targets * rows * sizeof(double));
    row_at_ = voted_at_ + (extremes ? align64(targets * rows) : 0);
    quick_at_ = row_at_ + align64(targets * sizeof(double));
    x_at_ = quick_at_ + (few() || !forest_.any_quick ? 0 : align64(row * rows * sizeof(float)));
    task_bytes_ = x_at_ + (few() || forest_.any_walked ? align64(row * rows * sizeof(Number)) : 0);
    // What is worth a task of its own: blocks of rows, or groups of trees.
    blocks_ = (c.rows + kBlock - 1) / kBlock;
    tasks_ = few() ? piece_count(groups_, walk_ns_ / static_cast<double>(std::max<std::int64_t>(groups_, 1)))
                   : piece_count(blocks_, block_row_ns_ * kBlock);
    scratch_ = few() ? task_bytes_ + static_cast<std::size_t>(groups_) * kGroup * sizeof(const Node*)
                     : task_bytes_ * static_cast<std::size_t>(tasks_);
  }

  std::size_t scratch_bytes() const override { return scratch_; }

  void run(void* const* operands, void* scratch) const override {
    auto* memory = static_cast<std::byte*>(scratch);
    if (few()) {
      for (std::int64_t r = 0; r < c_.rows; ++r) run_row(operands, r, memory);
      return;
    }
    base::parallel_for(tasks_, [&](std::int64_t task) {
      std::byte* own = memory + task_bytes_ * static_cast<std::size_t>(task);
      for (auto [b, last_b] = base::part_of(blocks_, tasks_, task); b < last_b; ++b)
        run_block(operands, b * kBlock, std::min(kBlock, c_.rows - b * kBlock), own);
    });
  }

 private:
  bool few() const { return c_.rows < kRows; }
  bool sums_extremes() const {
    return forest_.scores.aggregate == TreeAggregate::Min || forest_.scores.aggregate == TreeAggregate::Max;
  }
  const ForestNodes<Node>& nodes() const {
    if constexpr (std::is_same_v<Number, float>)
      return forest_.narrow;
    else
      return forest_.broad;
  }

  // Calls put(column, value) for the columns of a row.
  template <class T, class Put>
  void columns_of(const void* x, std::int64_t row, Put&& put) const {
    const T* from = static_cast<const T*>(x) + row * c_.features;
    std::int64_t at = 0;
    for (const ForestColumns& columns : forest_.columns) {
      const T* const first = from + columns.feature;
      if (columns.negative)
        for (std::int64_t i = 0; i < columns.count; ++i) put(at + i, -static_cast<Number>(first[i]));
      else
        for (std::int64_t i = 0; i < columns.count; ++i) put(at + i, static_cast<Number>(first[i]));
      at += columns.count;
    }
  }
  template <class Put>
  void load_row(const void* x, std::int64_t row, Put&& put) const {
    if constexpr (std::is_same_v<Number, float>) return columns_of<float>(x, row, put);
    switch (c_.x) {
      case DataType::Float: return columns_of<float>(x, row, put);
      case DataType::Double: return columns_of<double>(x, row, put);
      case DataType::Int32: return columns_of<std::int32_t>(x, row, put);
      default: return columns_of<std::int64_t>(x, row, put);
    }
  }
  void load_for_walks(const void* x, std::int64_t row, Number* to) const {
    load_row(x, row, [&](std::int64_t i, Number value) { to[i] = value; });
    to[columns_] = std::numeric_limits<Number>::quiet_NaN();
  }

  struct Sums {
    double* scores;  // [targets][stride]
    std::uint8_t* voted;
    std::int64_t stride;
  };
  Sums begin_sums(std::byte* own, std::int64_t stride) const {
    Sums sums{reinterpret_cast<double*>(own), reinterpret_cast<std::uint8_t*>(own + voted_at_), stride};
    std::fill_n(sums.scores, forest_.scores.rule.targets * stride, 0.0);
    if (sums_extremes()) std::fill_n(sums.voted, forest_.scores.rule.targets * stride, std::uint8_t{0});
    return sums;
  }

  // The votes of a tree's leaf for row r of the sums.
  void count_votes(const Node& leaf, std::int32_t target, const Sums& sums, std::int64_t r) const {
    if (target >= 0) {
      sums.scores[target * sums.stride + r] += static_cast<double>(leaf.weight());
      return;
    }
    using Bits = std::conditional_t<std::is_same_v<Number, float>, std::uint32_t, std::uint64_t>;
    const auto k = static_cast<std::size_t>(std::bit_cast<Bits>(leaf.bound));
    const std::uint32_t begin = forest_.first_vote[k], end = forest_.first_vote[k + 1];
    const Number* weights = nodes().weights.data();
    if (sums_extremes()) return count_extremes(begin, end, sums, r);
    if (forest_.dense) {
      double* to = sums.scores + r;
      for (std::uint32_t v = begin; v < end; ++v, to += sums.stride) *to += static_cast<double>(weights[v]);
      return;
    }
    for (std::uint32_t v = begin; v < end; ++v)
      sums.scores[forest_.vote_targets[v] * sums.stride + r] += static_cast<double>(weights[v]);
  }
  void count_extremes(std::uint32_t begin, std::uint32_t end, const Sums& sums, std::int64_t r) const {
    const bool least = forest_.scores.aggregate == TreeAggregate::Min;
    for (std::uint32_t v = begin; v < end; ++v) {
      const std::int64_t at = forest_.vote_targets[v] * sums.stride + r;
      const auto weight = static_cast<double>(nodes().weights[v]);
      double& score = sums.scores[at];
      score = !sums.voted[at] ? weight : least ? std::min(score, weight) : std::max(score, weight);
      sums.voted[at] = 1;
    }
  }

  // Groups of trees, all for one row.
  void run_row(void* const* operands, std::int64_t row, std::byte* own) const {
    auto* x = reinterpret_cast<Number*>(own + x_at_);
    auto* ends = reinterpret_cast<const Node**>(own + task_bytes_);
    load_for_walks(operands[0], row, x);
    const Sums sums = begin_sums(own, 1);
    if (tasks_ == 1) {
      walk_groups(0, groups_, x, sums, nullptr);
    } else {
      base::parallel_for(tasks_, [&](std::int64_t task) {
        walk_groups(groups_ * task / tasks_, groups_ * (task + 1) / tasks_, x, sums, ends);
      });
      for (std::int64_t t = 0; t < trees_; ++t)
        count_votes(*ends[t], forest_.targets[static_cast<std::size_t>(t)], sums, 0);
    }
    finish(operands, row, 0, sums, reinterpret_cast<double*>(own + row_at_));
  }

  // Counts the votes, or where `ends` is not null, puts the leaves there.
  void walk_groups(std::int64_t begin, std::int64_t end, const Number* x, const Sums& sums, const Node** ends) const {
    const Node* const all = nodes().nodes();
    const std::uint32_t* const roots = forest_.roots.data();
    const std::int32_t* const targets = forest_.targets.data();
    const bool votes = forest_.any_votes;
    double* const scores = sums.scores;
    for (std::int64_t g = begin; g < end; ++g) {
      const std::int64_t first = g * static_cast<std::int64_t>(kGroup);
      const Node* at[kGroup];
      for (std::size_t j = 0; j < kGroup; ++j) at[j] = all + roots[first + static_cast<std::int64_t>(j)];
      walk<kGroup>(at, x, 0, forest_.group_depths[static_cast<std::size_t>(g)]);
      const std::int64_t n = std::min(static_cast<std::int64_t>(kGroup), trees_ - first);
      if (ends != nullptr) {
        std::copy_n(at, n, ends + first);
      } else if (votes) {
        for (std::int64_t j = 0; j < n; ++j) count_votes(*at[j], targets[first + j], sums, 0);
      } else {
        for (std::int64_t j = 0; j < n; ++j) scores[targets[first + j]] += static_cast<double>(at[j]->weight());
      }
    }
  }

  void run_block(void* const* operands, std::int64_t first, std::int64_t rows, std::byte* own) const {
    const Sums sums = begin_sums(own, kBlock);
    auto* quick_x = reinterpret_cast<float*>(own + quick_at_);
    auto* x = reinterpret_cast<Number*>(own + x_at_);
    for (std::int64_t r = 0; r < rows; ++r) {
      if (forest_.any_walked) load_for_walks(operands[0], first + r, x + r * (columns_ + 1));
      if (forest_.any_quick)
        load_row(operands[0], first + r,
                 [&](std::int64_t i, Number value) { quick_x[i * kBlock + r] = static_cast<float>(value); });
    }
    // Missing rows get arbitrary numbers, so that there are as many rows as concurrent walks.
    if (forest_.any_walked)
      for (std::int64_t r = rows; r < kRows; ++r) std::copy_n(x, columns_ + 1, x + r * (columns_ + 1));
    if (forest_.any_quick)
      for (std::int64_t i = 0; i < columns_; ++i)
        std::fill(quick_x + i * kBlock + rows, quick_x + (i + 1) * kBlock, 0.0f);
    const std::vector<ForestTree>& trees = forest_.trees;
    for (std::size_t t = 0; t < trees.size();) {
      std::size_t end = t + 1;
      if (trees[t].quick_leaves < 0) {
        walk_rows(trees[t], x, rows, sums);
      } else {
        while (end < trees.size() && trees[end].quick_leaves >= 0) ++end;
        run_quick(t, end, quick_x, rows, sums);
      }
      t = end;
    }
    for (std::int64_t r = 0; r < rows; ++r)
      finish(operands, first + r, r, sums, reinterpret_cast<double*>(own + row_at_));
  }

  void run_quick(std::size_t begin, std::size_t end, const float* x, std::int64_t rows, const Sums& sums) const {
    const QuickTable& table = quick_table();
    for (std::int64_t r = 0; r < rows; r += kQuickVectors * table.lanes) {
      const std::int64_t vectors = std::min(kQuickVectors, (rows - r + table.lanes - 1) / table.lanes);
      table.run(forest_, begin, end, x + r, kBlock, vectors == 3 ? 4 : static_cast<int>(vectors), sums.scores + r);
    }
  }

  void walk_rows(const ForestTree& tree, const Number* x, std::int64_t rows, const Sums& sums) const {
    const Node* root = nodes().nodes() + tree.root;
    for (std::int64_t r0 = 0; r0 < rows; r0 += kRows) {
      const std::int64_t r = std::max<std::int64_t>(0, std::min(r0, rows - kRows));  // some may be walked twice
      const Node* at[kRows];
      std::fill_n(at, kRows, root);
      walk<kRows>(at, x + r * (columns_ + 1), columns_ + 1, tree.depth);
      for (std::int64_t j = r0 - r; j < std::min(kRows, rows - r); ++j) count_votes(*at[j], tree.target, sums, r + j);
    }
  }

  void finish(void* const* operands, std::int64_t row, std::int64_t r, const Sums& sums, double* scores) const {
    const Forest& f = forest_.scores;
    for (std::int64_t t = 0; t < f.rule.targets; ++t) {
      double score = sums.scores[t * sums.stride + r];
      if (f.aggregate == TreeAggregate::Average && trees_ > 0) score /= static_cast<double>(trees_);
      if (!f.base.empty()) score += f.base[static_cast<std::size_t>(t)];
      scores[t] = score;
    }
    f.rule.finish(scores, row, operands[1], operands[2], c_.scores);
  }

  ForestConfig c_;
  const PackedForest& forest_;
  std::int64_t columns_, trees_, groups_, blocks_, tasks_;
  double walk_ns_ = 0, block_row_ns_ = 0;
  std::size_t voted_at_, row_at_, quick_at_, x_at_, task_bytes_, scratch_;
};

std::string refuses(const ForestConfig& c) {
  if (!c.forest->refusal.empty()) return c.forest->refusal;
  if (c.x != DataType::Float && c.x != DataType::Double && c.x != DataType::Int32 && c.x != DataType::Int64)
    return "takes no " + std::string(data_type_name(c.x));
  if (c.scores != DataType::Float && c.scores != DataType::Double)
    return "gives no " + std::string(data_type_name(c.scores));
  if (c.features < c.forest->features) return "X has fewer columns than the trees look at";
  const Shape x = {c.rows, c.features}, y = {c.rows, c.forest->scores.rule.targets};
  return extent_refusal({&x, &y});
}

std::unique_ptr<Kernel> make(const ForestConfig& c, PackedConstants&) {
  if (c.forest->wide) return std::make_unique<ForestKernel<WideNode>>(c);
  return std::make_unique<ForestKernel<NarrowNode>>(c);
}

constexpr Candidate<ForestConfig> kForestCandidates[] = {{"walks", refuses, make}};

}  // namespace
}  // namespace forest_cc

std::span<const Candidate<ForestConfig>> forest_candidates() { return kForestCandidates; }

}  // namespace norn::kernels
