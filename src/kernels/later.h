// Work of making kernels that is deferred until all kernels of a plan are chosen: the expensive parts, such as oneDNN's
// descriptions and code, are then made in parallel, and each of them once.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/parallel.h"

namespace norn::kernels {

// While there is one, kernels that are made on this thread may leave work to it; of several, the one made last.
class LaterWork {
 public:
  LaterWork() : previous_(std::exchange(current(), this)) {}
  ~LaterWork() {
    if (current() == this) current() = previous_;
  }
  LaterWork(const LaterWork&) = delete;
  LaterWork& operator=(const LaterWork&) = delete;
  static LaterWork*& current() noexcept {
    thread_local LaterWork* later = nullptr;
    return later;
  }

  // Makes something that completions ask a store for, on any thread; once for all pieces with this key. It must not
  // refer to a kernel, nor throw but for lack of memory.
  using Piece = std::function<std::shared_ptr<const void>()>;
  void piece(std::string key, Piece make) {
    if (keys_.insert(std::move(key)).second) pieces_.push_back({std::move(make), nullptr});
  }
  // What completes a kernel, unless that is destroyed or complete by then.
  void rest(const std::shared_ptr<std::function<void()>>& rest) { rests_.push_back(rest); }

  // All pieces, then the completions in the order in which they came. Kernels that are made from here on defer nothing.
  void run() {
    current() = previous_;
    LaterWork* const outer = std::exchange(current(), nullptr);
    struct Back {
      LaterWork* outer;
      ~Back() { current() = outer; }
    } back{outer};
    base::parallel_for(static_cast<std::int64_t>(pieces_.size()), [&](std::int64_t i) {
      auto& [make, made] = pieces_[static_cast<std::size_t>(i)];
      made = make();
    });
    for (const auto& left : rests_)
      if (const auto rest = left.lock(); rest && *rest) std::exchange(*rest, nullptr)();
    rests_.clear();
    pieces_.clear();
  }

 private:
  LaterWork* const previous_;
  std::unordered_set<std::string> keys_;
  std::vector<std::pair<Piece, std::shared_ptr<const void>>> pieces_;  // and what they made, until all is whole
  std::vector<std::weak_ptr<std::function<void()>>> rests_;
};

// Of a kernel: what it has left to do. Until that is done only the thread that made the kernel has it.
class Unfinished {
 public:
  // Does `rest` now, or with others.
  void leave(std::function<void()> rest) {
    if (LaterWork* const later = LaterWork::current()) {
      rest_ = std::make_shared<std::function<void()>>(std::move(rest));
      later->rest(rest_);
    } else {
      rest();
    }
  }
  // Does `rest` now, for a caller that needs the kernel before the plan is complete.
  void finish() const {
    if (rest_ && *rest_) std::exchange(*rest_, nullptr)();
  }

 private:
  std::shared_ptr<std::function<void()>> rest_;
};

}  // namespace norn::kernels
