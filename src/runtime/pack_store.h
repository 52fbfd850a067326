// The packed constants of a compiled model, by source and recipe. They live as long as a plan holds them. What is large
// is shared with other models of the process that have the same contents (shared_forms.h), and kept in files where a
// session has a folder for that (form_folder.h).
#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/fork.h"
#include "base/mapped_file.h"
#include "base/memory.h"
#include "kernels/kernel.h"
#include "runtime/form_folder.h"
#include "runtime/shared_forms.h"

namespace norn::runtime {

class PackStore final : public kernels::PackedConstants {
 public:
  explicit PackStore(std::shared_ptr<FormFolder> folder = nullptr)
      : folder_(std::move(folder)), shared_(folder_ ? folder_->shared() : SharedForms::of_process()) {}

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
      SharedForms::Key form{known_by(contents, also), offset, std::string(recipe)};
      if (auto found = shared_.find(form)) return found;
      auto whole = folder_ && FormFolder::is_worthwhile(contents.bytes) ? from_folder(form, make) : make();
      return shared_.keep(std::move(form), std::move(whole));
    });
    std::lock_guard lock(mutex_);
    if (auto found = kept()) return found;
    store_[std::move(key)] = made;
    sweep();
    return made;
  }

  bool ask(const kernels::Contents& contents, std::string_view question, const std::function<bool()>& answer) override {
    std::pair key{contents.data, std::string(question)};
    {
      std::lock_guard lock(mutex_);
      if (const auto it = answers_.find(key); it != answers_.end()) return it->second;
    }
    const bool is_so = answer();
    std::lock_guard lock(mutex_);
    return answers_.emplace(std::move(key), is_so).first->second;
  }

  // Time that packing has taken so far.
  std::chrono::nanoseconds packing() {
    std::lock_guard lock(mutex_);
    return packing_;
  }

  // Of forms that came from the folder, and that were written there.
  struct Files {
    std::string folder;
    std::size_t found_bytes = 0, written_bytes = 0;
    std::string problem;
  };
  std::optional<Files> files() {
    if (!folder_) return {};
    std::lock_guard lock(mutex_);
    Files now = files_;
    now.folder = folder_->path();
    now.problem = folder_->problem();
    return now;
  }

  // What has been packed leaves memory, where it lies in a file. A kernel may pack the same contents in several parts,
  // so that they wait for the next ones.
  void release_source() {
    std::lock_guard lock(mutex_);
    base::release_pages(source_.data, source_.bytes);
    source_ = {};
  }

 private:
  std::shared_ptr<const void> from_folder(const SharedForms::Key& form,
                                          const std::function<std::shared_ptr<const void>()>& make) {
    FormFolder::Form found = folder_->find(form);
    if (!found.memory) found = folder_->keep(form, make());
    std::lock_guard lock(mutex_);
    files_.found_bytes += found.found_bytes;
    files_.written_bytes += found.written_bytes;
    return std::move(found.memory);
  }
  // What is made without contents. The last ones are held, since they are often asked for again soon.
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
    ContentKey key = content_key(all.data(), all.size() * sizeof all[0], shared_.secret());
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
    const ContentKey key = content_key(contents.data, contents.bytes, shared_.secret());
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
  const std::shared_ptr<FormFolder> folder_;
  SharedForms& shared_;
  base::ForkSafeMutex mutex_;
  std::map<Key, std::weak_ptr<const void>> store_;
  std::map<std::pair<const void*, std::string>, bool> answers_;  // to ask(), about contents that live as long as this
  std::map<const void*, ContentKey> hashes_;                     // of contents that live as long as this
  kernels::Contents source_;                                     // read last
  std::array<std::shared_ptr<const void>, 64> recent_;
  std::size_t next_recent_ = 0;
  std::chrono::nanoseconds packing_{0};
  Files files_;
  std::size_t sweep_at_ = 64;  // entries at which those of expired forms are removed
};

}  // namespace norn::runtime
