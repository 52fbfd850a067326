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
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const EntryPtr& e) { return e->key == key; });
    if (found != entries_.end()) {
      std::rotate(entries_.begin(), found, found + 1);
      return {entries_.front(), false};
    }
    if (entries_.size() == entries_.capacity()) entries_.reserve(2 * entries_.size() + 1);
    if (entries_.size() == kept_) {
      dropped = std::move(entries_.back());
      entries_.pop_back();
    }
    entries_.insert(entries_.begin(), fresh);
    return {std::move(fresh), true};
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
    return entry->object;
  }
  void drop(const EntryPtr& entry) {
    const std::lock_guard lock(mutex_);
    std::erase(entries_, entry);
  }

  const std::size_t kept_;
  ForkSafeMutex mutex_;
  std::vector<EntryPtr> entries_;  // the last asked for first
};

}  // namespace norn::base
