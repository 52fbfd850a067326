// Counters of threads in sections, several so that threads seldom meet on one; the handlers of fork() close the gate
// and wait until the counters are zero. A thread that comes while the gate is closed waits until it is open again.
#include "base/fork.h"

#include <pthread.h>

#include <chrono>
#include <thread>

namespace norn::base {
namespace {

constexpr unsigned kCounters = 16;
struct alignas(64) Counter {
  std::atomic<int> inside{0};
};

constinit Counter g_counters[kCounters];
constinit std::atomic<int> g_closed{0};  // threads that fork
constinit std::atomic<unsigned> g_threads{0};

thread_local unsigned t_depth = 0;          // sections that this thread is in
thread_local Counter* t_counter = nullptr;  // where it counts

void wait_a_little() { std::this_thread::sleep_for(std::chrono::microseconds(50)); }

void before_fork() {
  g_closed.fetch_add(1, std::memory_order_seq_cst);
  for (Counter& c : g_counters) {
    const int own = t_depth != 0 && t_counter == &c ? 1 : 0;
    while (c.inside.load(std::memory_order_seq_cst) > own) wait_a_little();
  }
}
void after_fork_in_parent() { g_closed.fetch_sub(1, std::memory_order_seq_cst); }
void after_fork_in_child() {
  for (Counter& c : g_counters) c.inside.store(t_depth != 0 && t_counter == &c ? 1 : 0, std::memory_order_relaxed);
  g_closed.store(0, std::memory_order_seq_cst);
}

// The first section of this thread.
Counter* find_counter() {
  static std::once_flag registered;  // the C library resets it after a fork
  std::call_once(registered, [] { pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child); });
  return t_counter = &g_counters[g_threads.fetch_add(1, std::memory_order_relaxed) % kCounters];
}

}  // namespace

void ForkGuard::enter() noexcept {
  if (t_depth++ != 0) return;
  Counter* const counter = t_counter != nullptr ? t_counter : find_counter();
  for (;;) {
    // Counted before the gate is read; a forking thread closes the gate before it reads the counters.
    counter->inside.fetch_add(1, std::memory_order_seq_cst);
    if (g_closed.load(std::memory_order_seq_cst) == 0) [[likely]]
      return;
    counter->inside.fetch_sub(1, std::memory_order_release);
    while (g_closed.load(std::memory_order_acquire) != 0) wait_a_little();
  }
}

void ForkGuard::leave() noexcept {
  if (--t_depth == 0) t_counter->inside.fetch_sub(1, std::memory_order_release);
}

bool ForkGuard::held() noexcept { return t_depth != 0; }

ForkGuard::Shared::Shared(bool held) noexcept : held_(held) {
  if (held_) ++t_depth;
}
ForkGuard::Shared::~Shared() {
  if (held_) --t_depth;
}

}  // namespace norn::base
