// Queries on a graph for passes that look for the pieces of a computation.
#pragma once
#include <cmath>
#include <optional>
#include <vector>

#include "ops/common/shapes.h"
#include "program/rewriter.h"

namespace norn::program {

class Matcher {
 public:
  explicit Matcher(const Rewriter& rewriter) : rewriter_(rewriter) {}

  const Value& value(ValueId id) const { return rewriter_.value(id); }
  const opset::ValueType& type(ValueId id) const { return value(id).type; }

  // The node that makes the value if it is of this operator, in its newest version, with one output and nothing fused
  // to it; else null. `id` is its number.
  const Node* made_by(ValueId made, const opset::Operator& op, NodeId* id = nullptr) const {
    if (made == kNone) return nullptr;
    const NodeId maker = rewriter_.producer(made);
    if (maker == kNoNode) return nullptr;
    const Node& node = rewriter_.node(maker);
    if (node.op != &op || node.schema != &op.history.back() || !node.parts.empty() || node.outputs.size() != 1)
      return nullptr;
    if (id) *id = maker;
    return &node;
  }

  // The number that a constant holds if it has one element of a real type.
  std::optional<double> number(ValueId id) const {
    if (id == kNone) return {};
    const Value& v = value(id);
    const norn::Tensor& contents = v.is_constant() ? v.constant : v.known.constant;
    if (!contents.defined() || contents.size() != 1) return {};
    const double n = ops::number_at(contents, 0);
    if (std::isnan(n)) return {};
    return n;
  }
  // Whether it holds this number, as exporters round it.
  bool is_number(ValueId id, double wanted) const {
    const auto n = number(id);
    return n && std::abs(*n - wanted) <= 2e-6 * std::abs(wanted);
  }

  // Both operands of a node with two inputs, one of which fits: calls f(that, other) for each order until it is true.
  template <class F>
  static bool either(const Node& node, F&& f) {
    return f(node.inputs[0], node.inputs[1]) || f(node.inputs[1], node.inputs[0]);
  }

  bool same_shape(ValueId a, ValueId b) const {
    return type(a).has_rank() && type(b).has_rank() && *type(a).shape == *type(b).shape;
  }
  // float, float16 or bfloat16
  bool is_narrow_float(ValueId id) const {
    const opset::ValueType& t = type(id);
    return t.is_tensor() && (t.elem == DataType::Float || t.elem == DataType::Float16 || t.elem == DataType::BFloat16);
  }

 private:
  const Rewriter& rewriter_;
};

}  // namespace norn::program
