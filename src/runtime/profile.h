// How long the steps of a run take.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/plan.h"
#include "runtime/run_context.h"

namespace norn::runtime {

struct StepTime {
  std::string path;    // of the step's first operation
  std::string kernel;  // as norn::ExplainedStep has it
  std::int64_t calls = 0;
  std::chrono::nanoseconds total{0};   // with what it runs in turn
  std::chrono::nanoseconds within{0};  // of that, in steps of its graphs
};

// For runs on one thread at a time; those that fail leave what they have told.
class Profile final : public StepWatch {
 public:
  void before(const program::Graph& graph, const Segment& segment, std::size_t step) override;
  void after(const program::Graph& graph, const Segment& segment, std::size_t step) override;
  // Forgets steps that a failed run did not end.
  void begin_run() { open_.clear(); }
  // In the order in which they were first begun.
  const std::vector<StepTime>& times() const noexcept { return times_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Open {
    std::size_t time;
    Clock::time_point since;
  };
  std::map<std::pair<std::uint64_t, std::size_t>, std::size_t> index_;  // by segment and step
  std::vector<StepTime> times_;
  std::vector<Open> open_;
};

}  // namespace norn::runtime
