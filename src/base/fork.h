// State that must be consistent in the child of a fork(). A child has one thread: locks that other threads held stay
// locked there, and what they were changing stays half changed. So fork() waits until no thread is in a section that a
// ForkGuard covers; to enter one costs two atomic additions, on a cache line that few threads share.
//
// Traps: fork() waits for sections, so within one nothing may wait for what a forking thread can hold (Python's lock:
// no callback of users), and all should be short. Work that a section shares out by parallel_for counts as its own.
#pragma once
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <utility>

namespace norn::base {

// A section that no fork() comes into. May be nested. Leaves on the thread that entered.
class ForkGuard {
 public:
  ForkGuard() noexcept { enter(); }
  ~ForkGuard() { leave(); }
  ForkGuard(const ForkGuard&) = delete;
  ForkGuard& operator=(const ForkGuard&) = delete;

  static void enter() noexcept;
  static void leave() noexcept;
  static bool held() noexcept;  // by this thread

  // For a thread that works for one that is in a section and stays there: enters without asking.
  class Shared {
   public:
    explicit Shared(bool held) noexcept;
    ~Shared();
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;

   private:
    bool held_;
  };
};

// A mutex that no other thread holds in the child of a fork(), where what it guards is whole.
template <class Mutex>
class ForkSafe {
 public:
  void lock() {
    ForkGuard::enter();
    mutex_.lock();
  }
  bool try_lock() {
    ForkGuard::enter();
    if (mutex_.try_lock()) return true;
    ForkGuard::leave();
    return false;
  }
  void unlock() {
    mutex_.unlock();
    ForkGuard::leave();
  }
  void lock_shared()
    requires requires(Mutex& m) { m.lock_shared(); }
  {
    ForkGuard::enter();
    mutex_.lock_shared();
  }
  void unlock_shared()
    requires requires(Mutex& m) { m.unlock_shared(); }
  {
    mutex_.unlock_shared();
    ForkGuard::leave();
  }

 private:
  Mutex mutex_;
};
using ForkSafeMutex = ForkSafe<std::mutex>;
using ForkSafeSharedMutex = ForkSafe<std::shared_mutex>;

// What `static const auto value = make();` is in a function, for values that a fork() may find in the making: the child
// would wait for ever for the thread that made them. Never destroyed. One value for each type of `make`: give a lambda.
template <class Make>
const auto& made_once(Make make) {
  using T = decltype(make());
  static std::atomic<const T*> ready{nullptr};
  if (const T* value = ready.load(std::memory_order_acquire)) return *value;
  ForkGuard whole;
  static const T* const made = new T(make());
  ready.store(made, std::memory_order_release);
  return *made;
}

// Objects of which each is used by one thread at a time, made when none is free. Without locks, so usable in the child
// of a fork(), which loses only those in use elsewhere.
template <class T>
class ObjectPool {
 public:
  ObjectPool() = default;
  ~ObjectPool() {
    for (Slots* s = &first_; s != nullptr;) {
      for (auto& slot : s->slots) delete slot.load(std::memory_order_acquire);
      Slots* const next = s->next.load(std::memory_order_acquire);
      if (s != &first_) delete s;
      s = next;
    }
  }
  ObjectPool(const ObjectPool&) = delete;
  ObjectPool& operator=(const ObjectPool&) = delete;

  // A free object, or null.
  std::unique_ptr<T> take() const noexcept {
    for (Slots* s = &first_; s != nullptr; s = s->next.load(std::memory_order_acquire)) {
      for (auto& slot : s->slots) {
        if (slot.load(std::memory_order_relaxed) == nullptr) continue;
        if (T* const object = slot.exchange(nullptr, std::memory_order_acquire)) return std::unique_ptr<T>(object);
      }
    }
    return nullptr;
  }
  template <class Make>
  std::unique_ptr<T> take(Make&& make) const {
    auto object = take();
    return object ? std::move(object) : make();
  }
  // Keeps the object for the next take(); drops it if there are `most` already.
  void give(std::unique_ptr<T> object, std::size_t most = ~std::size_t{0}) const noexcept {
    std::size_t seen = 0;
    for (Slots* s = &first_;;) {
      for (auto& slot : s->slots) {
        if (seen++ == most) return;
        T* none = nullptr;
        if (slot.load(std::memory_order_relaxed) != nullptr) continue;
        if (slot.compare_exchange_strong(none, object.get(), std::memory_order_release, std::memory_order_relaxed)) {
          static_cast<void>(object.release());
          return;
        }
      }
      Slots* next = s->next.load(std::memory_order_acquire);
      if (next == nullptr) {
        if (seen >= most) return;
        std::unique_ptr<Slots> more(new (std::nothrow) Slots);
        if (!more) return;
        if (s->next.compare_exchange_strong(next, more.get(), std::memory_order_acq_rel)) next = more.release();
      }
      s = next;
    }
  }

 private:
  struct Slots {
    std::atomic<T*> slots[8] = {};
    std::atomic<Slots*> next{nullptr};
  };
  mutable Slots first_;
};

}  // namespace norn::base
