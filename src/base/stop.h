// Ending work before it is done: on request, or because its time is up.
//
// Work checks the Stop that its thread is under: runs between their steps, and parallel_for() between tasks, on every
// thread that takes part. So all work that is cut into tasks ends soon.
#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>

namespace norn::base {

class Stop {
 public:
  using Clock = std::chrono::steady_clock;
  // `flag` may be null and has to outlive this. `poll` is asked on the thread that made this, at most every 10 ms;
  // true ends the work.
  Stop(const std::atomic<bool>* flag, std::optional<Clock::time_point> deadline, std::function<bool()> poll);

  // Throws norn::Error (Cancelled) once there is a reason to; thread-safe.
  void check() const;

 private:
  const std::atomic<bool>* flag_;
  std::optional<Clock::time_point> deadline_;
  std::function<bool()> poll_;
  bool flush_;  // as the owner computes (base/subnormals.h)
  std::thread::id owner_ = std::this_thread::get_id();
  mutable Clock::time_point polled_;  // the owner's alone
};

// What this thread is under; null for nothing.
const Stop* current_stop() noexcept;

// Puts the thread under `stop` until the scope ends.
class StopScope {
 public:
  explicit StopScope(const Stop* stop) noexcept;
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const Stop* previous_;
};

}  // namespace norn::base
