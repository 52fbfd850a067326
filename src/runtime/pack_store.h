// The packed constants of a compiled model, by source and recipe.
#pragma once
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "kernels/kernel.h"

namespace norn::runtime {

class PackStore final : public kernels::PackedConstants {
 public:
  std::shared_ptr<const void> get(const void* source, std::string_view recipe,
                                  const std::function<std::shared_ptr<const void>()>& make) override {
    std::lock_guard lock(mutex_);
    auto [it, fresh] = store_.try_emplace({source, std::string(recipe)});
    if (fresh) {
      try {
        it->second = make();
      } catch (...) {
        store_.erase(it);
        throw;
      }
    }
    return it->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<const void*, std::string>, std::shared_ptr<const void>> store_;
};

}  // namespace norn::runtime
