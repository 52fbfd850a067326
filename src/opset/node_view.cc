#include "opset/node_view.h"

#include <algorithm>

#include "norn/value.h"

namespace norn::opset {

std::optional<std::vector<std::int64_t>> NodeView::const_ints(int i) const {
  const auto known = known_ints(i);
  if (!known || !std::all_of(known->begin(), known->end(), [](const DimExpr& e) { return e.is_constant(); })) return {};
  return to_constants(*known);
}

std::int64_t NodeView::normalize_axis(std::int64_t axis, std::int64_t rank, bool inclusive,
                                      std::string_view attribute) const {
  const std::int64_t top = inclusive ? rank : rank - 1;
  if (axis < -rank || axis > top) {
    fail(std::string(attribute) + " is " + std::to_string(axis) + ", but has to be in [" + std::to_string(-rank) +
         ", " + std::to_string(top) + "] for rank " + std::to_string(rank));
  }
  return axis < 0 ? axis + rank : axis;
}

std::vector<std::int64_t> NodeView::normalize_axes(std::vector<std::int64_t> axes, std::int64_t rank) const {
  std::vector<bool> seen(static_cast<std::size_t>(rank), false);
  for (std::int64_t& axis : axes) {
    axis = normalize_axis(axis, rank, false, "axes");
    if (seen[static_cast<std::size_t>(axis)]) fail("axis " + std::to_string(axis) + " is given twice");
    seen[static_cast<std::size_t>(axis)] = true;
  }
  return axes;
}

void NodeView::require_axis_sign(std::int64_t axis, int since) const {
  if (axis >= 0 || version() >= since) return;
  fail("axis " + std::to_string(axis) + " is negative, which opset " + std::to_string(since) + " introduced");
}

void NodeView::fail(std::string message, std::string hint) const {
  throw Error(fault_code(), std::move(message), {}, std::move(hint));
}

std::string NodeView::input_name(int i) const {
  std::string text = "input " + std::to_string(i);
  if (schema().inputs.empty()) return text;
  const Param& param = schema().inputs[std::min(static_cast<std::size_t>(i), schema().inputs.size() - 1)];
  return text + " \"" + std::string(param.name) + "\"";
}

void NodeView::require_rank(int i, std::int64_t rank) const {
  const auto shape = known_shape(i);
  if (!shape || static_cast<std::int64_t>(shape->size()) == rank) return;
  fail(input_name(i) + " has rank " + std::to_string(shape->size()) + ", but rank " + std::to_string(rank) +
       " is required");
}

DimExpr NodeView::unify(const DimExpr& a, const DimExpr& b, std::string_view what) const {
  if (a == b) return a;
  if (DimExpr::differ(a, b)) fail(std::string(what) + " must be equal: " + a.to_string() + " and " + b.to_string());
  return a.is_constant() ? a : b;
}

std::vector<bool> marked(const std::vector<std::int64_t>& axes, std::int64_t rank) {
  std::vector<bool> mark(static_cast<std::size_t>(rank), false);
  for (const std::int64_t axis : axes) mark[static_cast<std::size_t>(axis)] = true;
  return mark;
}

std::optional<Dims> ints_of(const norn::Tensor& tensor) {
  if (tensor.rank() > 1) return {};
  const auto copied = [&](const auto* values) {
    Dims dims;
    for (std::int64_t i = 0; i < tensor.size(); ++i) dims.emplace_back(static_cast<std::int64_t>(values[i]));
    return dims;
  };
  if (tensor.dtype() == DataType::Int32) return copied(tensor.as<std::int32_t>());
  if (tensor.dtype() == DataType::Int64) return copied(tensor.as<std::int64_t>());
  return {};
}

Dims to_dims(const std::vector<std::int64_t>& values) { return Dims(values.begin(), values.end()); }

std::vector<std::int64_t> to_constants(const Dims& dims) {
  std::vector<std::int64_t> values;
  values.reserve(dims.size());
  for (const DimExpr& d : dims) values.push_back(d.constant());
  return values;
}

}  // namespace norn::opset
