// The packed constants of a compiled model, by source and recipe. They live as long as a plan holds them. What is large
// is shared with other models of the process that have the same contents (shared_forms.h).
#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/fork.h"
#include "base/mapped_file.h"
#include "base/memory.h"
#include "kernels/kernel.h"
#include "runtime/shared_forms.h"

namespace norn::runtime {

class PackStore final : public kernels::PackedConstants {
 public:
  std::shared_ptr<const void> get(const kernels::Contents& contents, std::size_t offset, std::string_view recipe,
                                  const std::function<std::shared_ptr<const void>()>& make,
                                  std::span<const kernels::Contents> also = {}) override {
    if (!contents.shared || std::any_of(also.begin(), also.end(), [](const auto& c) { return !c.shared; }))
      return timed(make);
    if (!contents.known()) return described(recipe, make);
    Key key{contents.data, offset, std::string(recipe)};
    for (const kernels::Contents& c : also)
      (std::get<std::string>(key) += ' ') += std::to_string(reinterpret_cast<std::uintptr_t>(c.data));
    const auto kept = [&]() -> std::shared_ptr<const void> {
      const auto it = store_.find(key);
      return it == store_.end() ? nullptr : it->second.lock();
    };
    {
      std::lock_guard lock(mutex_);
      if (auto found = kept()) return found;
    }
    // Without the lock, since it takes long: two that make the same form at once keep one of them.
    std::shared_ptr<const void> made = timed([&] {
      read_next(contents);
      if (!is_shareable(contents)) return make();
      SharedForms& all = SharedForms::of_process();
      SharedForms::Key form{known_by(contents, also), offset, std::string(recipe)};
      if (auto found = all.find(form)) return found;
      return all.keep(std::move(form), make());
    });
    std::lock_guard lock(mutex_);
    if (auto found = kept()) return found;
    store_[std::move(key)] = made;
    sweep();
    return made;
  }

  // Time that packing has taken so far.
  std::chrono::nanoseconds packing() {
    std::lock_guard lock(mutex_);
    return packing_;
  }

  // What has been packed leaves memory, where it lies in a file. A kernel may pack the same contents in several parts,
  // so that they wait for the next ones.
  void release_source() {
    std::lock_guard lock(mutex_);
    base::release_pages(source_.data, source_.bytes);
    source_ = {};
  }

 private:
  // What no contents go into. The last ones are held, for those who ask for them again in a moment.
  std::shared_ptr<const void> described(std::string_view recipe,
                                        const std::function<std::shared_ptr<const void>()>& make) {
    Key key{nullptr, 0, std::string(recipe)};
    const auto held = [&](std::shared_ptr<const void> found) {
      recent_[next_recent_++ % recent_.size()] = found;
      return found;
    };
    {
      std::lock_guard lock(mutex_);
      if (const auto it = store_.find(key); it != store_.end())
        if (auto found = it->second.lock()) return held(std::move(found));
    }
    std::shared_ptr<const void> made = make();
    std::shared_ptr<const void> dropped;  // without the lock
    std::lock_guard lock(mutex_);
    std::weak_ptr<const void>& kept = store_[std::move(key)];
    if (auto found = kept.lock()) return held(std::move(found));
    kept = made;
    sweep();
    dropped = recent_[next_recent_ % recent_.size()];
    return held(std::move(made));
  }
  void sweep() {
    if (store_.size() < sweep_at_) return;
    std::erase_if(store_, [](const auto& entry) { return entry.second.expired(); });
    sweep_at_ = 2 * store_.size() + 64;
  }
  static bool is_shareable(const kernels::Contents& contents) {
    constexpr std::size_t kLeastBytes = std::size_t{16} << 10;
    return contents.bytes >= kLeastBytes;
  }
  ContentKey known_by(const kernels::Contents& contents, std::span<const kernels::Contents> also) {
    if (also.empty()) return known_by(contents);
    std::vector<ContentKey> all{known_by(contents)};
    for (const kernels::Contents& c : also) all.push_back(known_by(c));
    ContentKey key = content_key(all.data(), all.size() * sizeof all[0]);
    key.bytes = contents.bytes;
    return key;
  }
  // The contents' hash, taken once: they may be packed in several forms.
  ContentKey known_by(const kernels::Contents& contents) {
    {
      std::lock_guard lock(mutex_);
      if (const auto it = hashes_.find(contents.data); it != hashes_.end() && it->second.bytes == contents.bytes)
        return it->second;
    }
    const ContentKey key = content_key(contents.data, contents.bytes);
    std::lock_guard lock(mutex_);
    hashes_.insert_or_assign(contents.data, key);
    return key;
  }
  template <class Make>
  std::shared_ptr<const void> timed(Make&& make) {
    const auto start = std::chrono::steady_clock::now();
    std::shared_ptr<const void> made = make();
    const auto took = std::chrono::steady_clock::now() - start;
    std::lock_guard lock(mutex_);
    packing_ += took;
    return made;
  }
  void read_next(const kernels::Contents& contents) {
    {
      std::lock_guard lock(mutex_);
      if (source_.data == contents.data) return;
      base::release_pages(source_.data, source_.bytes);
      source_ = contents;
    }
    base::prepare_to_read(contents.data, contents.bytes);
  }

  using Key = std::tuple<const void*, std::size_t, std::string>;
  base::ForkSafeMutex mutex_;
  std::map<Key, std::weak_ptr<const void>> store_;
  std::map<const void*, ContentKey> hashes_;  // of contents that live as long as this
  kernels::Contents source_;                  // read last
  std::array<std::shared_ptr<const void>, 64> recent_;
  std::size_t next_recent_ = 0;
  std::chrono::nanoseconds packing_{0};
  std::size_t sweep_at_ = 64;  // entries at which those whose form is gone are removed
};

}  // namespace norn::runtime
