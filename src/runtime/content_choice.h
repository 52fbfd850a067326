// Kernels that are chosen during a run: where the choice depends on contents that are only known then (axes, lengths,
// pads), a node becomes a graph of its own, planned with these contents as if they were constants. Its plans are kept
// with all other plans and found again by types, sizes and contents.
//
// What a run computes must not depend on the runs before it, so the choice is made as soon as contents are met.
// Operators that only move elements are the exception, since their kernels agree to the bit: they run the reference
// kernel until the same contents come a second time.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/executor.h"
#include "runtime/plan.h"

namespace norn::runtime {

// Inputs of a node, by number.
using InputBits = std::uint64_t;

// Whether contents of this type and size may be what a kernel is chosen by.
bool is_small(DataType dtype, const Shape& dims) noexcept;

// Immutable but for what it has learned; any number of runs may use it at once.
class ContentChoice {
 public:
  // Of an operation of the graph that has no graphs of its own. `options`, without their bodies, and `kept` are the
  // graph's, and outlive it.
  ContentChoice(const program::Graph& graph, const program::Node& operation, const PlanOptions& options,
                Executor::Kept kept);

  // The operation's outputs (empty where not wanted), which lie in `places` unless that is empty, one for each wanted
  // output. `inputs` parallel the operation's; `asked` are those whose contents the choice is known to ask for. Nothing
  // if no fast kernel takes it or it cannot be planned: the reference kernel runs it then, or reports what is wrong.
  // Throws norn::Error (Cancelled; LimitExceeded).
  std::optional<std::vector<Value>> run(std::span<const Value> inputs, std::span<const Tensor> places, StepWatch* watch,
                                        InputBits asked) const;

 private:
  std::shared_ptr<const Segment> find_or_plan(std::span<const Value> given, InputBits asked) const;
  std::vector<opset::KnownValue> known(std::span<const Value> given, InputBits bits) const;
  std::vector<Value> fed(std::span<const Value> inputs) const;
  InputBits small_ones(std::span<const Value> given) const;
  InputBits needed(std::span<const Value> given) const;
  bool is_late(std::span<const Value> given, InputBits bits) const;
  bool can_be_counted(std::span<const Value> inputs) const;
  bool comes_again(std::span<const std::int64_t> key) const;

  std::vector<std::uint32_t> fed_, wanted_;  // which inputs and outputs of the operation the graph's are
  program::Graph graph_;                     // the operation alone
  std::size_t outputs_;
  const PlanOptions options_;
  const Executor::Kept kept_;
  const std::uint64_t id_;  // of its plans
  const GraphUses uses_;
  const Executor executor_;
  const bool moves_;
  // Inputs whose contents the sizes of the outputs follow from, once that is found out.
  mutable std::atomic<InputBits> sizing_{0};
  // Hashes of contents that ran before, by hash: a newer one takes another's place.
  mutable std::array<std::atomic<std::uint64_t>, 512> seen_{};
};

// A step for an operation of known sizes; `reference` is what runs where the choice finds nothing.
std::shared_ptr<const NestedStep> make_chosen_step(std::unique_ptr<kernels::Kernel> reference,
                                                   const ContentChoice& choice, InputBits asked,
                                                   std::vector<StaticType> inputs, std::vector<StaticType> outputs);

}  // namespace norn::runtime
