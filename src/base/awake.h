// Threads of the pool that do not sleep between pieces of parallel work.
#pragma once
#include <cstdint>

namespace norn::base {

// While one exists, threads that have worked for parallel_for look for more before they sleep, up to a millisecond:
// what a run does between two pieces of parallel work is mostly shorter than waking them takes. As many of them do so
// as parallel_width() lets work beside the threads that have made these, and never more than the machine has threads
// left. Where the width is 1 it does nothing, and costs nothing.
class StayAwake {
 public:
  StayAwake() noexcept;
  ~StayAwake();
  StayAwake(const StayAwake&) = delete;
  StayAwake& operator=(const StayAwake&) = delete;

 private:
  std::uint64_t counted_;
};

// Threads of the pool that look for work or do some.
int awake_threads() noexcept;

}  // namespace norn::base
