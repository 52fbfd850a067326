// Objects that are made when they are first asked for, the last few of them kept. Making may take long: meanwhile only
// callers that ask for the same object wait, and they end when their run is to end (base/stop.h).
#pragma once
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/fork.h"
#include "base/stop.h"

namespace norn::base {

// Thread-safe.
template <class T>
class OncePerKey {
 public:
  explicit OncePerKey(std::size_t kept) : kept_(kept) {}
  // Of the last `kept` things, those behind the last `few` are kept only while all of them together take no more than
  // `max_bytes`.
  using BytesOf = std::function<std::size_t(const T&)>;
  OncePerKey(std::size_t kept, std::size_t few, std::size_t max_bytes, BytesOf bytes_of)
      : kept_(kept), few_(few), max_bytes_(max_bytes), bytes_of_(std::move(bytes_of)) {}

  // Whether nobody has asked for anything yet, at the cost of one load.
  bool is_unused() const noexcept { return !used_.load(std::memory_order_relaxed); }
  // What is there; null where nothing is, or is being made.
  std::shared_ptr<const T> find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const EntryPtr entry = move_to_front(key);
    return entry && entry->state.load(std::memory_order_acquire) == State::Made ? entry->object : nullptr;
  }

  // An exception of make() goes to the caller that ran it; the next waiting caller then makes the object.
  std::shared_ptr<const T> get(const std::string& key, const std::function<std::shared_ptr<const T>()>& make) {
    for (;;) {
      const auto [entry, is_mine] = find_or_claim(key);
      if (is_mine) return made(entry, make);
      while (entry->state.load(std::memory_order_acquire) == State::InMaking) {
        if (entry->maker != ::getpid()) {  // of the parent's threads, before a fork
          drop(entry);
          break;
        }
        if (const Stop* stop = current_stop()) stop->check();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      if (entry->state.load(std::memory_order_acquire) == State::Made) return entry->object;
    }
  }

 private:
  enum class State { InMaking, Made, Failed };
  struct Entry {
    std::string key;
    ::pid_t maker;
    std::atomic<State> state{State::InMaking};
    std::shared_ptr<const T> object;  // once it is made
    Entry(std::string k, ::pid_t m) : key(std::move(k)), maker(m) {}
  };
  using EntryPtr = std::shared_ptr<Entry>;

  std::pair<EntryPtr, bool> find_or_claim(const std::string& key) {
    EntryPtr fresh = std::make_shared<Entry>(key, ::getpid()), dropped;
    used_.store(true, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    if (EntryPtr found = move_to_front(key)) return {std::move(found), false};
    if (entries_.size() == entries_.capacity()) entries_.reserve(2 * entries_.size() + 1);
    if (entries_.size() == kept_) {
      dropped = std::move(entries_.back());
      entries_.pop_back();
    }
    entries_.insert(entries_.begin(), fresh);
    return {std::move(fresh), true};
  }
  // The entry of that key, null if there is none. The mutex is held.
  EntryPtr move_to_front(const std::string& key) {
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const EntryPtr& e) { return e->key == key; });
    if (found == entries_.end()) return nullptr;
    std::rotate(entries_.begin(), found, found + 1);
    return entries_.front();
  }
  std::shared_ptr<const T> made(const EntryPtr& entry, const std::function<std::shared_ptr<const T>()>& make) {
    try {
      entry->object = make();
    } catch (...) {
      drop(entry);
      entry->state.store(State::Failed, std::memory_order_release);
      throw;
    }
    entry->state.store(State::Made, std::memory_order_release);
    if (bytes_of_) trim();
    return entry->object;
  }
  // What goes does so without the lock: it may be large.
  void trim() {
    for (EntryPtr dropped;; dropped.reset()) {
      const std::lock_guard lock(mutex_);
      if (entries_.size() <= few_) return;
      std::size_t bytes = 0;
      for (const EntryPtr& e : entries_)
        if (e->state.load(std::memory_order_acquire) == State::Made) bytes += bytes_of_(*e->object);
      if (bytes <= max_bytes_) return;
      dropped = std::move(entries_.back());
      entries_.pop_back();
    }
  }
  void drop(const EntryPtr& entry) {
    const std::lock_guard lock(mutex_);
    std::erase(entries_, entry);
  }

  const std::size_t kept_, few_ = kept_, max_bytes_ = 0;
  const BytesOf bytes_of_;
  std::atomic<bool> used_{false};
  ForkSafeMutex mutex_;
  std::vector<EntryPtr> entries_;  // the last asked for first
};

}  // namespace norn::base
