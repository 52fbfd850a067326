#include "runtime/profile.h"

namespace norn::runtime {

void Profile::before(const program::Graph& graph, const Segment& segment, std::size_t step) {
  const auto [at, fresh] = index_.try_emplace({segment.id, step}, times_.size());
  if (fresh) {
    const StepInfo& info = segment.info[step];
    times_.push_back({operation_of(graph, info).path(), info.kernel});
  }
  open_.push_back({at->second, Clock::now()});
}

void Profile::after(const program::Graph&, const Segment&, std::size_t) {
  const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - open_.back().since);
  StepTime& time = times_[open_.back().time];
  open_.pop_back();
  ++time.calls;
  time.total += took;
  if (!open_.empty()) times_[open_.back().time].within += took;
}

}  // namespace norn::runtime
