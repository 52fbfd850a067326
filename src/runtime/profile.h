// How long the steps of a run take.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/plan.h"
#include "runtime/run_context.h"
#include "runtime/step_cost.h"

namespace norn::runtime {

struct StepTime {
  std::string path;        // of the step's first operation
  std::string operations;  // "Conv+Relu"; "copy" where StepInfo::copies
  std::string kernel;      // as norn::ExplainedStep has it
  std::string shapes;      // as shapes_text() has them
  StepCost cost;           // of one call
  std::int64_t calls = 0;
  std::chrono::nanoseconds total{0};   // with what it runs in turn
  std::chrono::nanoseconds within{0};  // of that, in steps of its graphs
};

// For runs on one thread at a time; those that fail leave what they have recorded.
class Profile final : public StepWatch {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMostShapes = 16;  // of one operation and kernel
  // One call of a step.
  struct Event {
    std::size_t step;  // in times()
    Clock::time_point since;
    std::chrono::nanoseconds took;
  };

  void before(const program::Graph& graph, const Segment& segment, std::size_t step) override;
  void after(const program::Graph& graph, const Segment& segment, std::size_t step) override;
  // Forgets steps that a failed run did not end.
  void begin_run() { open_.clear(); }
  // Keeps calls from now on, so many of them; the others are counted.
  void keep_events(std::size_t most) { most_events_ = most; }
  // Forgets times and calls, and keeps what is known of steps.
  void forget_times();
  // In the order in which they were first begun. Steps of several plans are merged where their path, operations, kernel
  // and shapes are equal; where one plan has several such steps, the first is merged with the first of another plan,
  // and so on. Beyond kMostShapes shapes, all further ones are "other shapes".
  const std::vector<StepTime>& times() const noexcept { return times_; }
  const std::vector<Event>& events() const noexcept { return events_; }  // in the order in which they ended
  std::uint64_t more_events() const noexcept { return more_events_; }

 private:
  struct Open {
    std::size_t time;
    Clock::time_point since;
  };
  std::size_t time_of(const program::Graph& graph, const Segment& segment, std::size_t step);

  std::map<std::pair<std::uint64_t, std::size_t>, std::size_t> index_;  // by segment and step
  struct Alike {
    std::vector<std::size_t> times;
    std::size_t shapes = 0;  // how many different ones came
  };
  std::unordered_map<std::string, Alike> alike_;  // by path, operations and kernel, without or with shapes
  std::map<std::pair<std::uint64_t, std::size_t>, std::size_t> begun_;  // by segment and the first of those alike
  std::vector<StepTime> times_;
  std::vector<Open> open_;
  std::vector<Event> events_;
  std::size_t most_events_ = 0;
  std::uint64_t more_events_ = 0;
};

}  // namespace norn::runtime
