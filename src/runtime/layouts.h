// In which layout the nodes of a segment compute that can choose, so that as few bytes as possible are reordered.
//
// A choice by inputs alone would reorder three dense operands to add them to a channels-last one, and the sum back for
// a dense reader, where reordering the one operand is enough. Here all readers count: each node has one layout, a value
// that some reader wants in another layout than its producer's costs its bytes once, and the cheapest assignment is a
// minimum cut between the nodes that are dense and those that are channels last.
#pragma once
#include <optional>
#include <unordered_map>

#include "kernels/kernel.h"
#include "norn/session.h"
#include "program/program.h"
#include "runtime/plan_state.h"
#include "runtime/segment_nodes.h"

namespace norn::runtime {

class LayoutPlan {
 public:
  LayoutPlan() = default;
  LayoutPlan(PlanState& state, const SegmentNodes& nodes, Precision precision);

  // Of a node (SegmentNodes::Planned::node); nothing for one that has no choice, or whose choice costs nothing.
  std::optional<kernels::Layout> of(const program::Node& node) const {
    const auto found = advised_.find(&node);
    return found == advised_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::unordered_map<const program::Node*, kernels::Layout> advised_;
};

}  // namespace norn::runtime
