// Running one graph (the main one or a subgraph): finds or makes the plan for the sizes at hand and walks its steps.
//
// An Executor is immutable, and the plans it finds are kept under a lock: any number of runs may go on at once.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "norn/value.h"
#include "program/program.h"
#include "runtime/plan_cache.h"
#include "runtime/plan_state.h"

namespace norn::runtime {

class Executor {
 public:
  // `graph`, `states`, which are the Program's, and what `kept` refers to must outlive the executor.
  struct Kept {
    PlanCache& plans;
    ArenaPool& arenas;
  };
  Executor(const program::Graph& graph, std::span<const program::State> states, const PlanOptions& options, Kept kept);
  ~Executor();

  // `inputs`: the graph's inputs, then its captures. An empty Value is an input that takes its default. Returns the
  // graph's outputs, each owning its memory. Throws norn::Error with the node's place.
  std::vector<Value> run(std::span<const Value> inputs) const;

  // Calls f for each segment that `inputs` lead to, without running late steps: what can be told ahead of running.
  void describe(std::span<const Value> inputs,
                const std::function<void(const program::Graph&, const Segment&)>& f) const;

 private:
  class Run;

  const program::Graph& graph_;
  std::span<const program::State> states_;
  GraphUses uses_;
  PlanOptions options_;
  Kept kept_;
  const std::uint64_t id_;
  std::vector<std::vector<std::unique_ptr<Executor>>> subgraphs_;  // by node, then by subgraph
  std::uint32_t inputs_ = 0;                                       // graph inputs and captures
};

}  // namespace norn::runtime
