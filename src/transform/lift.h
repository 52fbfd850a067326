// Lifting: a node rewritten for the newest version of its operator, through the slices' version steps.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "norn/value.h"
#include "opset/schema.h"
#include "opset/value_type.h"
#include "transform/version_step.h"

namespace norn::transform {

// What a step may ask about the node's surroundings.
struct NodeContext {
  std::function<const opset::ValueType*(const std::string& value_name)> type_of;  // null if unknown
  std::function<const norn::Tensor*(const std::string& value_name)> constant_of;  // null if not a constant
  std::function<std::string(const std::string& hint)> fresh_name;                 // a value name not in use
};

// A node of a document, bound to an operator version.
struct BoundNode {
  ir::Node node;
  const opset::Operator* op = nullptr;
  const opset::Schema* schema = nullptr;
};

struct Lifted {
  std::vector<std::pair<std::string, norn::Tensor>> constants;  // new constant values, by name
  std::vector<BoundNode> nodes;                                 // in order; together they compute the node's outputs
};

// Moves `node` to the version in force at `target_opset` (of its operator's domain), up or down, step by step. No step
// is needed where only types were widened. A version that its slice `keeps` (no exact step) stays when lifting.
// Throws norn::Error (NotImplemented) if a step down has no equivalent.
Lifted move_version(const BoundNode& node, int target_opset, const NodeContext& context);

// The newest version whose meaning a node of `schema` has unchanged. Null if a step to the newest opset would change
// the node.
const opset::Schema* newest_unchanged(const opset::Operator& op, const opset::Schema& schema) noexcept;

// All (operator, version) pairs without an exact step up, with the reason.
struct KeptVersion {
  const opset::Operator* op;
  int since;
  std::string_view why;
};
std::vector<KeptVersion> kept_versions();

// Neighbouring rows without a step up between them: a defect of their slice.
struct MissingStep {
  const opset::Operator* op;
  int from, to;
};
std::vector<MissingStep> missing_steps();

}  // namespace norn::transform
