// Running one graph (the main one or a subgraph): finds or makes the plan for the sizes at hand and walks its steps.
//
// An Executor is immutable apart from its caches, which lock: any number of runs may go on at once.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "norn/value.h"
#include "program/program.h"
#include "runtime/plan.h"

namespace norn::runtime {

class Executor {
 public:
  // `graph` must outlive the executor.
  Executor(const program::Graph& graph, const PlanOptions& options);
  ~Executor();

  // `inputs`: the graph's inputs, then its captures. An empty Value is an input that takes its default. Returns the graph's
  // outputs, each owning its memory. Throws norn::Error with the node's place.
  std::vector<Value> run(std::span<const Value> inputs) const;

  // Calls f for each segment that `inputs` lead to, without running late steps: what can be told ahead of running.
  void describe(std::span<const Value> inputs, const std::function<void(const program::Graph&, const Segment&)>& f) const;

 private:
  struct Subgraphs;
  void run_late(const Segment& segment, const LateStep& late, const Frame& frame, std::vector<Value>& values) const;
  std::shared_ptr<const Segment> first_segment(std::span<const Value> inputs) const;
  std::shared_ptr<const Segment> next_segment(const Segment& segment, const std::vector<Value>& values) const;
  std::vector<std::int64_t> sizes_of(std::span<const Value> values) const;

  const program::Graph& graph_;
  PlanOptions options_;
  std::vector<std::vector<std::unique_ptr<Executor>>> subgraphs_;  // by node, then by subgraph
  std::uint32_t inputs_ = 0;  // graph inputs and captures

  static constexpr std::size_t kMaxPlans = 16;
  mutable std::shared_mutex mutex_;
  mutable std::vector<std::pair<std::vector<std::int64_t>, std::shared_ptr<const Segment>>> plans_;
};

// A type that describes a value exactly: element type and sizes of a tensor, the kind of anything else.
opset::ValueType type_of(const Value& value);

}  // namespace norn::runtime
