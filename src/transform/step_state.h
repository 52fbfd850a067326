// One node while it moves between versions: what NodeEdit works on. Internal to lift.cc and version_step.cc.
#pragma once
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "transform/lift.h"

namespace norn::transform {

// Types and constants that the move itself has made, in front of the caller's.
struct LocalValues {
  const NodeContext* context = nullptr;
  std::deque<std::pair<std::string, norn::Tensor>> constants;  // a deque: steps keep pointers to them
  std::deque<std::pair<std::string, opset::ValueType>> types;

  const opset::ValueType* type_of(const std::string& name) const;
  const norn::Tensor* constant_of(const std::string& name) const;
  std::string fresh_name(const std::string& hint) const { return context->fresh_name(hint); }
};

struct NodeEdit::State {
  LocalValues* values;
  ir::Node node;
  const opset::Operator* op;
  const opset::Schema* from;      // what the step starts from
  const opset::Schema* schema;    // what the node has after the step
  std::vector<BoundNode> before;  // in order
  std::vector<BoundNode> after;   // in order
};

// The step between two rows, and whether the row has none up by declaration.
StepFn find_step(const opset::Operator& op, int from, int to) noexcept;
const KeptVersion* find_kept(const opset::Operator& op, int since) noexcept;

}  // namespace norn::transform
