// What a run hands down to everything that walks steps: graphs in graphs, rounds of loops.
#pragma once
#include <cstddef>

#include "base/stop.h"
#include "program/program.h"

namespace norn::runtime {

class Segment;

// Called before and after every step, on the run's thread. What a step of control flow runs comes between its two
// calls.
class StepWatch {
 public:
  virtual ~StepWatch() = default;
  virtual void before(const program::Graph& graph, const Segment& segment, std::size_t step) = 0;
  virtual void after(const program::Graph& graph, const Segment& segment, std::size_t step) = 0;
};

struct RunContext {
  const base::Stop* stop = nullptr;  // null: nothing ends the run
  StepWatch* watch = nullptr;
  bool in_body = false;  // of a graph in a node, whose inputs are not fed
};

}  // namespace norn::runtime
