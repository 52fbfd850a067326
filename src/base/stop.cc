#include "base/stop.h"

#include <ctime>
#include <utility>

#include "base/subnormals.h"
#include "norn/error.h"

namespace norn::base {
namespace {

thread_local const Stop* t_stop = nullptr;

constexpr std::chrono::milliseconds kPollEvery{10};

// A few milliseconds behind, and read in as many nanoseconds.
Stop::Clock::time_point now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return Stop::Clock::time_point(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

}  // namespace

Stop::Stop(const std::atomic<bool>* flag, std::optional<Clock::time_point> deadline, std::function<bool()> poll)
    : flag_(flag), deadline_(deadline), poll_(std::move(poll)), flush_(flushes_subnormals()), polled_(now()) {}

void Stop::check() const {
  if (flag_ && flag_->load(std::memory_order_relaxed))
    throw Error(ErrorCode::Cancelled, "the run was cancelled", {}, "RunOptions::terminate was set");
  if (!deadline_ && !poll_) return;
  const Clock::time_point time = now();
  if (deadline_ && time >= *deadline_)
    throw Error(ErrorCode::Cancelled, "the run took longer than it may", {}, "its RunOptions give it a deadline");
  if (!poll_ || std::this_thread::get_id() != owner_ || time - polled_ < kPollEvery) return;
  polled_ = time;
  const SubnormalMode as_owner(flush_);
  if (poll_()) throw Error(ErrorCode::Cancelled, "the run was interrupted");
}

const Stop* current_stop() noexcept { return t_stop; }
StopScope::StopScope(const Stop* stop) noexcept : previous_(std::exchange(t_stop, stop)) {}
StopScope::~StopScope() { t_stop = previous_; }

}  // namespace norn::base
