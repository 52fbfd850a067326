// If, Loop and Scan as steps of a plan: bodies whose sizes are settled when the graph around them is planned run in the
// memory of the step, as plans that belong to it. What is carried from one round to the next changes places between
// two buffers, scanned inputs are read and scan outputs written where they lie, and captures are pointers.
//
// What does not fit (bodies with late steps, branches of different types, carried values that grow, strings and
// sequences) is a late step (control_flow.h). A loop whose body fits, but whose number of rounds is only known when it
// has run, is a late step that runs this way, if it has scan outputs.
//
// Immutable; what a run needs lies in its scratch memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/kernel.h"
#include "norn/value.h"
#include "opset/value_type.h"
#include "program/program.h"
#include "runtime/plan.h"
#include "runtime/run_context.h"

namespace norn::runtime {

// Memory of scan outputs whose length is not known ahead.
class Stacks {
 public:
  virtual ~Stacks() = default;
  // Makes room for `capacity` items in stack `index`, of which the first `count` are kept, and returns where they lie.
  virtual std::byte* grow(std::size_t index, std::int64_t count, std::int64_t capacity) = 0;
};

class NestedStep : public kernels::Kernel {
 public:
  // `operands`: the node's inputs (null where omitted), the captures of each of its graphs, then the node's outputs
  // (null where not wanted, for those that are inputs, and for those that `stacks` hold). Returns the number of rounds.
  virtual std::int64_t run_nested(void* const* operands, void* scratch, const RunContext& context,
                                  Stacks* stacks) const = 0;
  void run(void* const* operands, void* scratch) const final {
    run_nested(operands, scratch, {base::current_stop(), nullptr}, nullptr);
  }
};

// A body's plan, and the memory of its runs.
class Body {
 public:
  Body(std::shared_ptr<const Segment> segment, const program::Graph& graph);

  // Where the operands of the body's steps lie, and with them the values of its run: pointers in the step's scratch.
  struct Table {
    void** pointers;
    void** values;
  };
  std::size_t table_bytes() const noexcept;
  // For intermediates, and scratch of the body's own steps. Nothing if 64 bits cannot count it.
  std::optional<std::size_t> work_bytes() const noexcept;

  // Fills in what does not depend on the run. `at` and `work` are aligned to 64.
  Table begin(std::byte* at, std::byte* work) const;
  void point(const Table& table, std::uint32_t value, void* memory) const {
    table.values[value] = memory;
    for (std::uint32_t k = first_use_[value]; k < first_use_[value + 1]; ++k)
      table.pointers[uses_[k].pointer] = static_cast<std::byte*>(memory) + uses_[k].offset;
  }
  void run(const Table& table, std::byte* work, const RunContext& context) const;

  // Outputs. Where the steps write one, `point_output` says where; others are copied when the steps have run.
  bool is_written(std::size_t output) const {
    return segment_->results[output].run_value != program::kNone && !segment_->results[output].copied;
  }
  std::uint32_t value_of(std::size_t output) const { return segment_->results[output].run_value; }
  void point_output(const Table& table, std::size_t output, void* memory) const {
    if (is_written(output)) point(table, value_of(output), memory);
  }
  void copy_output(const Table& table, std::size_t output, void* memory) const;

  const Segment& segment() const noexcept { return *segment_; }
  const std::shared_ptr<const Segment>& shared_segment() const noexcept { return segment_; }
  std::size_t output_bytes(std::size_t output) const { return result_bytes_[output]; }
  std::size_t bytes() const noexcept;

 private:
  struct Use {
    std::uint32_t pointer;
    std::size_t offset;
  };
  std::shared_ptr<const Segment> segment_;
  const program::Graph& graph_;
  std::vector<std::uint32_t> first_use_;  // by value of the run
  std::vector<Use> uses_;
  std::vector<std::size_t> result_bytes_;
  std::size_t scratch_at_ = 0;  // in the work memory
};

// Plans the first segment of a node's graph.
class BodyPlanner {
 public:
  virtual ~BodyPlanner() = default;
  // A plan that belongs to the step that runs it is counted with that step's plan, and not kept here.
  // `inputs`: formals, then captures, of which only types and sizes matter; `known`: what is known of their contents,
  // or empty. Null if graphs are not to be nested. Throws norn::Error.
  virtual std::shared_ptr<const Segment> plan_body(std::uint32_t node, std::size_t subgraph,
                                                   std::span<const Value> inputs,
                                                   std::span<const opset::KnownValue> known) const = 0;
  // Keeps a plan that plan_body() made, without anything known, for when the graph is run as a late step.
  virtual void keep_body(std::uint32_t node, std::size_t subgraph, std::span<const Value> inputs,
                         std::shared_ptr<const Segment> plan) const = 0;
  // Chooses a kernel for an operation of the node, by StepInfo::first, once contents are known. Lives as long as this.
  virtual const ContentChoice& choice(std::uint32_t node, std::uint32_t operation) const = 0;
};

// A node of control flow whose bodies are settled.
struct Nested {
  std::shared_ptr<const NestedStep> step;
  std::vector<std::shared_ptr<const Segment>> bodies;  // by subgraph; null: never runs
  std::vector<opset::Fact> outputs;                    // the node's
  // Of the first outputs: the node's input that it is, or kComputed. The step does not write the former.
  static constexpr std::size_t kComputed = static_cast<std::size_t>(-1);
  std::vector<std::size_t> inputs;
  std::size_t input_of(std::size_t output) const { return output < inputs.size() ? inputs[output] : kComputed; }
  // Otherwise the last outputs, beginning with `stacked`, are stacks whose length is only known after the run:
  // `outputs` has their items.
  bool settled = true;
  std::size_t stacked = 0;
};

class PlanState;
// Nothing where the node has to be a late step.
std::shared_ptr<const Nested> nest(const PlanState& state, const program::Node& node, std::uint32_t index);

// The makers, by operator. Each may find that the node does not fit.
struct NestRequest;
std::shared_ptr<const Nested> nest_if(const NestRequest& request);
std::shared_ptr<const Nested> nest_loop(const NestRequest& request);
std::shared_ptr<const Nested> nest_scan(const NestRequest& request);

}  // namespace norn::runtime
