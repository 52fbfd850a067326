// Threads of the pool that do not sleep between pieces of parallel work.
#pragma once

namespace norn::base {

// While there is one, threads that have worked for parallel_for look for more before they sleep, up to a millisecond:
// what a run does between two pieces of parallel work is mostly shorter than waking them takes. It does nothing where
// parallel_width() is 1, nor where there are more of them and threads than the machine has.
class StayAwake {
 public:
  StayAwake() noexcept;
  ~StayAwake();
  StayAwake(const StayAwake&) = delete;
  StayAwake& operator=(const StayAwake&) = delete;

 private:
  bool counted_;
};

}  // namespace norn::base
