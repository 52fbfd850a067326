#include "runtime/plan_cache.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>

namespace norn::runtime {

std::size_t PlanCache::Hash::operator()(KeyView key) const noexcept {
  std::uint64_t h = key.parent * 0x9e3779b97f4a7c15u;
  for (std::int64_t v : key.sizes) {
    h = (h ^ static_cast<std::uint64_t>(v)) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  }
  return h;
}

bool PlanCache::Equal::operator()(KeyView a, KeyView b) const noexcept {
  return a.parent == b.parent && std::equal(a.sizes.begin(), a.sizes.end(), b.sizes.begin(), b.sizes.end());
}

std::shared_ptr<const Segment> PlanCache::find(std::uint64_t parent, std::span<const std::int64_t> key) const {
  std::shared_lock lock(mutex_);
  const auto it = entries_.find(KeyView{parent, key});
  if (it == entries_.end()) return nullptr;
  it->second.used.store(tick(), std::memory_order_relaxed);
  return it->second.plan;
}

std::shared_ptr<const Segment> PlanCache::keep(std::uint64_t parent, std::span<const std::int64_t> key,
                                               std::shared_ptr<const Segment> plan) {
  Key owned{parent, {key.begin(), key.end()}};
  const std::size_t bytes =
      plan->bytes() + sizeof(Entries::value_type) + 4 * sizeof(void*) + key.size() * sizeof(std::int64_t);
  std::unique_lock lock(mutex_);
  const auto [it, fresh] = entries_.try_emplace(std::move(owned));
  Entry& entry = it->second;
  entry.used.store(tick(), std::memory_order_relaxed);
  if (!fresh) return entry.plan;
  entry.plan = plan;
  entry.bytes = bytes;
  bytes_.fetch_add(bytes, std::memory_order_relaxed);
  plans_ += parent == kFirstId;
  if (this->bytes() > max_bytes_ || plans_ > max_plans_) trim(*plan);
  return plan;
}

// A fifth more than is asked for, so that the search for old entries is paid for by many plans.
void PlanCache::trim(const Segment& kept) noexcept {
  while (bytes() > max_bytes_ / 5 * 4 || plans_ > max_plans_ / 5 * 4) {
    auto oldest = entries_.end();
    for (auto it = entries_.begin(); it != entries_.end(); ++it) {
      if (it->second.plan.get() == &kept) continue;
      if (oldest == entries_.end() ||
          it->second.used.load(std::memory_order_relaxed) < oldest->second.used.load(std::memory_order_relaxed))
        oldest = it;
    }
    if (oldest == entries_.end()) return;
    bytes_.fetch_sub(oldest->second.bytes, std::memory_order_relaxed);
    plans_ -= oldest->first.parent == kFirstId;
    entries_.erase(oldest);
  }
}

}  // namespace norn::runtime
