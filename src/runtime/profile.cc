#include "runtime/profile.h"

#include "opset/schema.h"

namespace norn::runtime {
namespace {

std::string operations_text(const program::Graph& graph, const StepInfo& info) {
  if (info.copies) return "copy";
  std::string text;
  for (std::uint32_t k = 0; k < info.operations; ++k)
    text += (k ? "+" : "") + opset::full_name(*operation_of(graph, info, k).op);
  return text;
}

}  // namespace

std::size_t Profile::time_of(const program::Graph& graph, const Segment& segment, std::size_t step) {
  const StepInfo& info = segment.info[step];
  StepTime time{operation_of(graph, info).path(), operations_text(graph, info), info.kernel, shapes_text(graph, info),
                step_cost(graph, info)};
  const std::string without_shapes = time.path + '\n' + time.operations + '\n' + time.kernel;
  if (!alike_.contains(without_shapes + '\n' + time.shapes) && ++alike_[without_shapes].shapes > kMostShapes) {
    time.shapes = "other shapes";
    time.cost = {};
  }
  std::vector<std::size_t>& alike = alike_[without_shapes + '\n' + time.shapes].times;
  const std::size_t before = alike.empty() ? 0 : begun_[{segment.id, alike[0]}];
  if (before == alike.size()) {
    alike.push_back(times_.size());
    times_.push_back(std::move(time));
  }
  begun_[{segment.id, alike[0]}] = before + 1;
  return alike[before];
}

void Profile::before(const program::Graph& graph, const Segment& segment, std::size_t step) {
  auto at = index_.find({segment.id, step});
  if (at == index_.end()) at = index_.emplace(std::pair(segment.id, step), time_of(graph, segment, step)).first;
  open_.push_back({at->second, Clock::now()});
}

void Profile::after(const program::Graph&, const Segment&, std::size_t) {
  const Open& open = open_.back();
  const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - open.since);
  StepTime& time = times_[open.time];
  if (events_.size() < most_events_)
    events_.push_back({open.time, open.since, took});
  else
    ++more_events_;
  open_.pop_back();
  ++time.calls;
  time.total += took;
  if (!open_.empty()) times_[open_.back().time].within += took;
}

void Profile::forget_times() {
  for (StepTime& time : times_) {
    time.calls = 0;
    time.total = time.within = {};
  }
  events_.clear();
  more_events_ = 0;
}

}  // namespace norn::runtime
