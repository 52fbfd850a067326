// The kernels of a compiled model that cost much to make, by candidate and configuration. They live as long as a plan
// holds them, and plans for other shapes find them again where a node's own sizes did not change.
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/fork.h"
#include "kernels/kernel.h"

namespace norn::runtime {

// Thread-safe.
class KernelStore {
 public:
  std::shared_ptr<const kernels::Kernel> find(const std::string& key) const {
    std::lock_guard lock(mutex_);
    const auto it = store_.find(key);
    return it == store_.end() ? nullptr : it->second.lock();
  }
  // Returns what is kept: another run's kernel if that was there first.
  std::shared_ptr<const kernels::Kernel> keep(std::string key, std::shared_ptr<const kernels::Kernel> made) {
    std::lock_guard lock(mutex_);
    std::weak_ptr<const kernels::Kernel>& kept = store_[std::move(key)];
    if (auto found = kept.lock()) return found;
    kept = made;
    if (store_.size() >= sweep_at_) {
      std::erase_if(store_, [](const auto& entry) { return entry.second.expired(); });
      sweep_at_ = 2 * store_.size() + 64;
    }
    return made;
  }

 private:
  mutable base::ForkSafeMutex mutex_;
  std::unordered_map<std::string, std::weak_ptr<const kernels::Kernel>> store_;
  std::size_t sweep_at_ = 64;  // entries at which those of expired kernels are removed
};

}  // namespace norn::runtime
