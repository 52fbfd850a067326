// Which nodes a segment has, and with which sizes.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "program/program.h"
#include "runtime/plan_state.h"

namespace norn::runtime {

struct SegmentNodes {
  struct Planned {
    const program::Node* node;  // of the graph, or a part of a fused one, which lies in `parts`
    std::uint32_t index;        // in the graph
    bool late = false;          // its outputs' sizes are known only when it has run, or they are no tensors
    bool needed = true;         // false: nothing reads it, or inference computed what is read
  };
  std::vector<Planned> planned;
  // Fused nodes are planned by their parts where these differ in shape, or some are known and others not.
  std::deque<program::Node> parts;
  std::vector<program::ValueId> settled;  // values with known sizes that the planned nodes give
  std::vector<std::string> notes;         // of nodes that inference computed
};

// Infers the nodes that are ready, as far as sizes are known, and writes types and known contents into `state`.
SegmentNodes infer_segment(PlanState& state);

}  // namespace norn::runtime
