// The memory that runs of a compiled model work in, whatever their plan: a run takes a stretch for each segment and
// gives it back at its end; large outputs and late values are stretches, which come back with the tensor's last holder.
// All shapes use the same stretches, so that what is kept depends on how much was used at once, not on the number of
// shapes. (The system's allocator would cut freed stretches up for the plans made between runs, and grow.) Thread-safe.
// Lives as long as the tensors that lie in it.
#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "base/fork.h"
#include "norn/value.h"

namespace norn::runtime {

class ArenaPool : public std::enable_shared_from_this<ArenaPool> {
 public:
  static constexpr std::size_t kDefaultIdleBytes = std::size_t{128} << 20;
  // Stretches that no run uses are kept up to `max_idle_bytes`, and the one that was given back last in any case; but
  // not those that are far larger than all that the last few runs asked for.
  explicit ArenaPool(std::size_t max_idle_bytes = kDefaultIdleBytes) : max_idle_bytes_(max_idle_bytes) {}

  struct Stretch {
    std::shared_ptr<void> memory;  // aligned to 64 bytes
    std::size_t bytes = 0;
  };
  // At least `bytes` and little more; the stretch that begins at `preferred` if it is free and fits. Where none fits, a
  // smaller one grows. Throws std::bad_alloc.
  Stretch take(std::size_t bytes, const void* preferred = nullptr);
  void give_back(Stretch stretch) noexcept;
  std::size_t idle_bytes() {
    std::lock_guard lock(mutex_);
    return idle_bytes_;
  }
  // As Tensor's own constructor.
  Tensor tensor(DataType dtype, const Shape& dims);

  // Of a run of the main graph.
  void run_ended() noexcept;

  static constexpr int kPeriod = 4;  // runs, after which those too large are dropped
  static constexpr std::size_t kTooLarge = 4, kLargeBytes = std::size_t{1} << 20;

 private:
  const std::size_t max_idle_bytes_;
  base::ForkSafeMutex mutex_;
  std::vector<Stretch> idle_;  // given back last, listed last
  std::size_t idle_bytes_ = 0;
  std::size_t live_ = 0;                          // stretches, idle or not
  int ended_ = 0;                                 // runs in this period
  std::size_t largest_ = 0, largest_before_ = 0;  // that was asked for in this period and in the one before
};

}  // namespace norn::runtime
