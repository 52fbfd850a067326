// The packed constants of compiled models, by contents and recipe, so that sessions of one model share them. They live
// as long as a plan of any of them holds them.
//
// Contents are known by a hash under a secret, so that no model can be made whose constants are taken for another's.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/fork.h"
#include "base/hash.h"
#include "base/parallel.h"

namespace norn::runtime {

struct ContentKey {
  std::size_t bytes = 0;
  std::uint64_t low = 0, high = 0;
  auto operator<=>(const ContentKey&) const = default;
};

// A hash of the hashes of its parts, which are taken in parallel. `part(at, n)` gives each where it lies.
template <class Part>
ContentKey content_key_of(std::size_t bytes, const base::HashSecret& secret, const Part& part) {
  constexpr std::size_t kPart = std::size_t{1} << 20;
  const auto hash = [&](const void* at, std::size_t n) {
    return XXH3_128bits_withSecret(at, n, secret.bytes, sizeof secret.bytes);
  };
  XXH128_hash_t all;
  if (bytes <= kPart) {
    all = hash(part(std::size_t{0}, bytes), bytes);
  } else {
    std::vector<XXH128_hash_t> parts((bytes + kPart - 1) / kPart);
    base::parallel_for(static_cast<std::int64_t>(parts.size()), [&](std::int64_t i) {
      const std::size_t at = static_cast<std::size_t>(i) * kPart, n = std::min(kPart, bytes - at);
      parts[static_cast<std::size_t>(i)] = hash(part(at, n), n);
    });
    all = hash(parts.data(), parts.size() * sizeof parts[0]);
  }
  return {bytes, all.low64, all.high64};
}

inline ContentKey content_key(const void* data, std::size_t bytes, const base::HashSecret& secret) {
  return content_key_of(bytes, secret,
                        [&](std::size_t at, std::size_t) { return static_cast<const char*>(data) + at; });
}

// Thread-safe.
class SharedForms {
 public:
  using Key = std::tuple<ContentKey, std::size_t, std::string>;  // contents, offset, recipe

  // `secret`, which has to outlive it, is the one of the keys' hashes.
  explicit SharedForms(const base::HashSecret& secret) : secret_(secret) {}

  // Of all sessions that keep no files.
  static SharedForms& of_process() {
    struct Holder {
      std::unique_ptr<SharedForms> forms;
    };
    return *base::made_once([] { return Holder{std::make_unique<SharedForms>(base::process_secret())}; }).forms;
  }

  const base::HashSecret& secret() const noexcept { return secret_; }

  std::shared_ptr<const void> find(const Key& key) {
    std::lock_guard lock(mutex_);
    const auto it = store_.find(key);
    return it == store_.end() ? nullptr : it->second.lock();
  }
  // Returns what is kept: another model's form if that was there first.
  std::shared_ptr<const void> keep(Key key, std::shared_ptr<const void> made) {
    std::lock_guard lock(mutex_);
    std::weak_ptr<const void>& kept = store_[std::move(key)];
    if (auto found = kept.lock()) return found;
    kept = made;
    if (store_.size() >= sweep_at_) {
      std::erase_if(store_, [](const auto& entry) { return entry.second.expired(); });
      sweep_at_ = 2 * store_.size() + 64;
    }
    return made;
  }

 private:
  const base::HashSecret& secret_;
  base::ForkSafeMutex mutex_;
  std::map<Key, std::weak_ptr<const void>> store_;
  std::size_t sweep_at_ = 64;  // entries at which those of expired forms are removed
};

}  // namespace norn::runtime
