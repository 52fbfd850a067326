// The one pool of threads, shared by every session of the process.
//
// Work is a number of tasks; tasks are claimed dynamically, so what a task covers must follow from the problem's shape
// and never from the number of threads: then results are the same bits at any width. Calls may be nested (inner calls
// run on the calling thread) and made from any number of threads. In a child after fork() everything runs on the
// calling thread. Tasks compute with subnormal numbers as the caller does (base/subnormals.h). Sized from the CPU
// affinity and the cgroup's quota.
#pragma once
#include <cstdint>
#include <type_traits>

#include "base/stop.h"

namespace norn::base {

// Threads that this process can use at once, the calling one included; at least 1.
int hardware_threads() noexcept;

// How many threads, the calling one included, parallel_for may use on this thread from now on; 0 is as many as the
// hardware has. More than that are slower, but as right.
// Scoped: restores the earlier width.
class ParallelWidth {
 public:
  explicit ParallelWidth(int threads) noexcept;
  ~ParallelWidth();
  ParallelWidth(const ParallelWidth&) = delete;
  ParallelWidth& operator=(const ParallelWidth&) = delete;

 private:
  int previous_;
};

// Threads parallel_for would use now on this thread (1 inside a task).
int parallel_width() noexcept;

// Whether this is one of the pool's own threads, which go through the tasks of a call from the last one back: what a
// task may fetch for the next one on its thread belongs to the task before it.
bool takes_last_first() noexcept;

namespace detail {
void run_tasks(std::int64_t tasks, void (*task)(void* context, std::int64_t index), void* context);
void run_both(void (*here)(void* context), void (*beside)(void* context, std::int64_t), void* context);
}  // namespace detail

// Calls task(i) once for each i in [0, tasks), on up to parallel_width() threads, and returns when all are done.
// The first exception that a task throws is rethrown here after the other running tasks end.
// Between tasks it looks whether to stop (base/stop.h).
template <class F>
void parallel_for(std::int64_t tasks, F&& task) {
  if (tasks <= 1 || parallel_width() == 1) {
    const Stop* const stop = tasks > 1 ? current_stop() : nullptr;
    for (std::int64_t i = 0; i < tasks; ++i) {
      if (stop) [[unlikely]]
        stop->check();
      task(i);
    }
    return;
  }
  using Fn = std::remove_reference_t<F>;
  detail::run_tasks(
      tasks, [](void* context, std::int64_t i) { (*static_cast<Fn*>(context))(i); },
      const_cast<void*>(static_cast<const void*>(&task)));
}

// Calls `here` on this thread and `beside` on another one or, where none is free, on this one afterwards; returns when
// both are done. An exception that one of them throws is rethrown here; `beside` may then not have been called.
template <class F, class G>
void run_both(F&& here, G&& beside) {
  if (parallel_width() == 1) {
    here();
    beside();
    return;
  }
  struct Both {
    std::remove_reference_t<F>& here;
    std::remove_reference_t<G>& beside;
  } both{here, beside};
  detail::run_both([](void* context) { static_cast<Both*>(context)->here(); },
                   [](void* context, std::int64_t) { static_cast<Both*>(context)->beside(); }, &both);
}

}  // namespace norn::base
