// Which nodes a segment has, and with which sizes.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "program/program.h"
#include "runtime/plan.h"

namespace norn::runtime {

struct SegmentNodes {
  struct Planned {
    std::uint32_t node;
    bool late = false;   // its outputs' sizes are known only when it has run, or they are no tensors
    bool needed = true;  // false: nothing reads it, or inference computed what is read
  };
  std::vector<Planned> planned;
  std::vector<std::uint32_t> deferred;  // they read what a late node of this segment makes
  std::vector<Shape> dims;              // by ValueId, of the tensors whose sizes are known
  std::vector<std::string> notes;       // of nodes that inference computed
};

// Infers the nodes that remain, as far as sizes are known, and writes types and known contents into `state`.
SegmentNodes infer_segment(const program::Graph& graph, PlanState& state);

}  // namespace norn::runtime
