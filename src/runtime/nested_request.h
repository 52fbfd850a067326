// A node of control flow with what is known at its place, for the functions that make a step of it.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/nested.h"
#include "runtime/plan_state.h"

namespace norn::runtime {

struct NestRequest {
  const PlanState& state;
  const program::Node& node;
  std::uint32_t index;
  // Bodies that were planned, whether the node fits or not.
  struct Planned {
    std::size_t subgraph;
    std::vector<Value> inputs;
    std::shared_ptr<const Segment> plan;
  };
  std::vector<Planned>& planned;

  std::size_t inputs() const { return node.inputs.size(); }
  bool given(std::size_t input) const { return node.input(input) != program::kNone; }
  DataType dtype(std::size_t input) const { return state.values[node.inputs[input]].type.elem; }
  const Shape& dims(std::size_t input) const { return state.values[node.inputs[input]].dims; }
  bool is_scalar(std::size_t input) const { return element_count(dims(input)) == 1; }
  // Contents if planning knows them.
  const norn::Tensor* known(std::size_t input) const;
  // The operand that is the first capture of subgraph `index`, and the first output.
  std::size_t capture_operand(std::size_t subgraph) const;
  std::size_t output_operand() const { return capture_operand(node.subgraphs.size()); }
  bool wanted(std::size_t output) const {
    return output < node.outputs.size() && node.outputs[output] != program::kNone;
  }

  // The body's plan if it is whole: one segment without late steps, whose outputs are tensors of known sizes. Formals
  // have these types.
  std::shared_ptr<const Segment> body(std::size_t subgraph, std::span<const StaticType> formals) const;
};

// Sections of scratch memory, one behind the other.
class ScratchLayout {
 public:
  std::size_t add(std::uint64_t bytes);
  // Nothing if it is more than 63 bits can count.
  std::optional<std::size_t> total() const { return fits_ ? std::optional(total_) : std::nullopt; }

 private:
  std::size_t total_ = 0;
  bool fits_ = true;
};

opset::Fact fact_of(const StaticType& type);

}  // namespace norn::runtime
