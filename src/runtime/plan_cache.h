// The plans of a compiled model that are kept for later runs, of all its graphs, under one bound in bytes. The least
// recently used ones go first; those that runs are using live on with them. Thread-safe.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/fork.h"
#include "runtime/plan.h"

namespace norn::runtime {

class PlanCache {
 public:
  // Plans of the main graph are also bounded in number, so that memory settles soon where every run has new sizes.
  // Those that depend on contents, of which one run may need any number, have a share of the bytes.
  static constexpr std::size_t kMostPlans = 1024;
  static constexpr std::size_t kChoicesShare = 4;
  explicit PlanCache(std::size_t max_bytes = std::size_t{128} << 20, std::size_t max_plans = kMostPlans)
      : max_bytes_(max_bytes), max_plans_(max_plans) {}

  // A number for a graph or a segment, behind which segments are looked for.
  std::uint64_t new_id() noexcept { return next_id_.fetch_add(1, std::memory_order_relaxed); }
  // One for plans that depend on contents, which may be new in every run.
  std::uint64_t new_choice_id() noexcept { return new_id() | kChoice; }
  std::shared_ptr<Segment> new_segment() { return std::make_shared<Segment>(new_id()); }

  // The segment behind `parent` for these sizes (plan_key.h); null if there is none.
  std::shared_ptr<const Segment> find(std::uint64_t parent, std::span<const std::int64_t> key) const;
  // Keeps it, and returns what is kept: another run's plan if that was there first.
  std::shared_ptr<const Segment> keep(std::uint64_t parent, std::span<const std::int64_t> key,
                                      std::shared_ptr<const Segment> plan);

  std::size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

 private:
  struct KeyView {
    std::uint64_t parent;
    std::span<const std::int64_t> sizes;
  };
  struct Key {
    std::uint64_t parent;
    std::vector<std::int64_t> sizes;
    operator KeyView() const noexcept { return {parent, sizes}; }
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(KeyView key) const noexcept;
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(KeyView a, KeyView b) const noexcept;
  };
  struct Entry {
    std::shared_ptr<const Segment> plan;
    std::size_t bytes = 0;
    mutable std::atomic<std::uint64_t> used{0};
  };
  using Entries = std::unordered_map<Key, Entry, Hash, Equal>;

  std::uint64_t tick() const noexcept { return clock_.fetch_add(1, std::memory_order_relaxed) + 1; }
  // Takes the oldest plans out, but not `kept`; all others if there is no memory to find the oldest. The mutex is held;
  // the caller unlocks it before it destroys `dropped`, which may be large.
  void trim(const Segment& kept, std::vector<Entries::node_type>& dropped) noexcept;

  static constexpr std::uint64_t kFirstId = 1;  // of the graph that asked first: the main one
  static constexpr std::uint64_t kChoice = std::uint64_t{1} << 63;
  static bool is_choice(std::uint64_t parent) noexcept { return (parent & kChoice) != 0; }
  // What is counted apart of plans behind `parent`.
  void add(std::uint64_t parent, std::size_t bytes) noexcept;
  void take_out(std::uint64_t parent, std::size_t bytes) noexcept;
  std::size_t max_choice_bytes() const noexcept { return max_bytes_ / kChoicesShare; }

  const std::size_t max_bytes_, max_plans_;
  std::size_t plans_ = 0;         // of the main graph
  std::size_t choice_bytes_ = 0;  // of plans that depend on contents
  std::atomic<std::uint64_t> next_id_{kFirstId};
  mutable std::atomic<std::uint64_t> clock_{0};
  std::atomic<std::size_t> bytes_{0};
  mutable base::ForkSafeSharedMutex mutex_;
  Entries entries_;
};

}  // namespace norn::runtime
