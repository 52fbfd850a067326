// Which nodes a segment has, and with which sizes.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "program/program.h"
#include "runtime/nested.h"
#include "runtime/plan_state.h"

namespace norn::runtime {

struct SegmentNodes {
  // A node, or a run of the operations of a fused one: such a node is planned in pieces where the value between two
  // operations is known.
  struct Planned {
    const program::Node* node;             // its first operation: a node of the graph, or a part
    std::span<const program::Node> parts;  // the operations behind it
    std::uint32_t index;                   // of the node, in the graph
    std::uint32_t first = 0;               // StepInfo::first
    bool late = false;                     // its outputs' sizes are known only when it has run, or they are not tensors
    bool needed = true;                    // false: nothing reads it, or inference computed what is read
    std::shared_ptr<const Nested> nested;  // of control flow whose bodies are settled

    const std::vector<program::ValueId>& results() const {
      return parts.empty() ? node->outputs : parts.back().outputs;
    }
    template <class F>
    void for_each_use(F&& f) const;
  };
  std::vector<Planned> planned;
  std::vector<program::ValueId> settled;  // values with known sizes that the planned nodes give
  std::vector<SparedNode> known;          // that inference computed
};

template <class F>
void SegmentNodes::Planned::for_each_use(F&& f) const {
  for (program::ValueId id : node->inputs)
    if (id != program::kNone) f(id);
  program::ValueId running = node->outputs.empty() ? program::kNone : node->outputs[0], before = program::kNone;
  for (const program::Node& part : parts) {
    for (program::ValueId id : part.inputs)
      if (id != program::kNone && id != running && id != before) f(id);
    before = std::exchange(running, part.outputs[0]);
  }
  for (const program::Subgraph& sub : node->subgraphs)
    for (const program::Graph::Capture& capture : sub.graph->captures) f(capture.outer);
}

// Infers the nodes that are ready, as far as sizes are known, and writes types and known contents into `state`.
SegmentNodes infer_segment(PlanState& state);

}  // namespace norn::runtime
