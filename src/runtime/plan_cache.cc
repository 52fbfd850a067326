#include "runtime/plan_cache.h"

#include <algorithm>
#include <mutex>
#include <new>
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
  std::vector<Entries::node_type> dropped;
  std::unique_lock lock(mutex_);
  const auto [it, fresh] = entries_.try_emplace(std::move(owned));
  Entry& entry = it->second;
  entry.used.store(tick(), std::memory_order_relaxed);
  if (!fresh) return entry.plan;
  entry.plan = plan;
  entry.bytes = bytes;
  add(parent, bytes);
  if (this->bytes() > max_bytes_ || plans_ > max_plans_ || choice_bytes_ > max_choice_bytes()) trim(*plan, dropped);
  lock.unlock();
  return plan;
}

void PlanCache::add(std::uint64_t parent, std::size_t bytes) noexcept {
  bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (parent == kFirstId) ++plans_;
  if (is_choice(parent)) choice_bytes_ += bytes;
}

void PlanCache::take_out(std::uint64_t parent, std::size_t bytes) noexcept {
  bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  if (parent == kFirstId) --plans_;
  if (is_choice(parent)) choice_bytes_ -= bytes;
}

// A fifth more than is asked for, so that the search for old entries is paid for by many plans.
void PlanCache::trim(const Segment& kept, std::vector<Entries::node_type>& dropped) noexcept {
  struct Aged {
    std::uint64_t used;
    Entries::const_iterator entry;
  };
  std::vector<Aged> by_age;
  try {
    by_age.reserve(entries_.size());
    dropped.reserve(entries_.size());
  } catch (const std::bad_alloc&) {
    by_age = {};
    std::erase_if(entries_, [&](const auto& e) { return e.second.plan.get() != &kept; });
    bytes_.store(0, std::memory_order_relaxed);
    plans_ = choice_bytes_ = 0;
    for (const auto& [key, entry] : entries_) add(key.parent, entry.bytes);
    return;
  }
  for (auto it = entries_.cbegin(); it != entries_.cend(); ++it)
    if (it->second.plan.get() != &kept) by_age.push_back({it->second.used.load(std::memory_order_relaxed), it});
  std::sort(by_age.begin(), by_age.end(), [](const Aged& a, const Aged& b) { return a.used < b.used; });
  const std::size_t enough_bytes = max_bytes_ / 5 * 4, enough_plans = max_plans_ / 5 * 4,
                    enough_choices = max_choice_bytes() / 5 * 4;
  const bool too_many = bytes() > max_bytes_, too_many_plans = plans_ > max_plans_,
             too_many_choices = choice_bytes_ > max_choice_bytes();
  for (const Aged& oldest : by_age) {
    const bool many_plans = too_many_plans && plans_ > enough_plans,
               many_choices = too_many_choices && choice_bytes_ > enough_choices,
               many_bytes = too_many && bytes() > enough_bytes;
    if (!many_plans && !many_choices && !many_bytes) return;
    const std::uint64_t parent = oldest.entry->first.parent;
    const bool many = parent == kFirstId ? many_plans : is_choice(parent) && many_choices;
    if (!many_bytes && !many) continue;
    take_out(parent, oldest.entry->second.bytes);
    dropped.push_back(entries_.extract(oldest.entry));
  }
}

}  // namespace norn::runtime
