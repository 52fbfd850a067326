// Running one graph (the main one or a subgraph): finds or makes the plan for the sizes at hand and walks its steps.
//
// An Executor is immutable, and the plans it finds are kept under a lock: runs may be concurrent.
#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/fork.h"
#include "norn/value.h"
#include "program/program.h"
#include "runtime/donations.h"
#include "runtime/nested.h"
#include "runtime/plan_cache.h"
#include "runtime/plan_state.h"
#include "runtime/run_context.h"

namespace norn::runtime {

class Executor final : public BodyPlanner {
 public:
  // `graph`, `states`, which are the Program's, and what `kept` refers to must outlive the executor.
  struct Kept {
    PlanCache& plans;
    ArenaPool& arenas;
  };
  // `main`: its inputs are the caller's, which may donate them.
  Executor(const program::Graph& graph, std::span<const program::State> states, const PlanOptions& options, Kept kept,
           bool main = false);
  ~Executor() override;

  // `inputs`: the graph's inputs, then its captures. An empty Value is an input that takes its default. Returns the
  // graph's outputs, each owning its memory; what nodes hand on as it is, they may share with each other and with
  // inputs unless they are to be `apart`. Throws norn::Error with the node's place.
  struct Call {
    bool apart = false;
    StepWatch* watch = nullptr;
    // Memory for outputs, by number: undefined where there is none; empty for none at all. It overlaps neither inputs
    // nor other outputs. An output that is made elsewhere is not copied there.
    std::span<const Tensor> places;
    // What the caller gives up; null for nothing. `rooms` are its rooms.
    Donations* donations = nullptr;
    std::span<const InputRoom> rooms;
    const GivenFrom* given_from = nullptr;  // of a graph in a node
  };
  std::vector<Value> run(std::vector<Value> inputs, const Call& call) const;
  std::vector<Value> run(std::vector<Value> inputs) const { return run(std::move(inputs), Call{}); }

  // The same by a whole plan for inputs like these.
  std::vector<Value> run_planned(std::shared_ptr<const Segment> plan, std::vector<Value> inputs,
                                 const Call& call) const;

  // The first segment that `inputs` lead to, which is what is known before running. Only types and sizes matter.
  std::shared_ptr<const Segment> plan(std::span<const Value> inputs, std::span<const InputRoom> rooms = {}) const;
  // Types of the graph's outputs by planning and symbolic shapes, for inputs of which only types and sizes matter.
  // Sizes that only a run determines are 0; Undefined where not even the rank is known. Nothing where the sizes
  // contradict each other.
  std::vector<StaticType> planned_outputs(std::span<const Value> inputs) const;
  // By input of the graph: whether a node appends to it what becomes an output.
  const std::vector<bool>& may_append() const noexcept { return may_append_; }

  const program::Graph& graph() const noexcept { return graph_; }
  // What runs subgraph `index` of a node.
  const Executor& subgraph(std::uint32_t node, std::size_t index) const { return *subgraphs_[node][index]; }

 private:
  class Run;
  std::shared_ptr<const Segment> plan_body(std::uint32_t node, std::size_t subgraph, std::span<const Value> inputs,
                                           std::span<const opset::KnownValue> known) const override;
  void keep_body(std::uint32_t node, std::size_t subgraph, std::span<const Value> inputs,
                 std::shared_ptr<const Segment> plan) const override;
  const ContentChoice& choice(std::uint32_t node, std::uint32_t operation) const override;

  const program::Graph& graph_;
  std::span<const program::State> states_;
  GraphUses uses_;
  PlanOptions options_;
  Kept kept_;
  const std::uint64_t id_;
  const bool main_;
  std::vector<std::vector<std::unique_ptr<Executor>>> subgraphs_;  // by node, then by subgraph
  std::vector<bool> may_append_;
  base::ObjectPool<PlanState> states_before_;  // of the last plan, from the second on: the next one begins there
  mutable std::atomic<bool> planned_{false};
  mutable base::ForkSafeMutex choices_mutex_;
  mutable std::map<std::pair<std::uint32_t, std::uint32_t>, std::unique_ptr<const ContentChoice>> choices_;
  std::uint32_t inputs_ = 0;  // graph inputs and captures
};

}  // namespace norn::runtime
