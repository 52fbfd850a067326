// How sizes of a node's inputs are compared: for inference, sizes that are not known become an equality, which a run
// checks.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "opset/node_view.h"

namespace norn::ops {

// Size of axis `axis` of input `i`, counted from behind if it is negative; nothing if its rank is not known.
inline std::optional<opset::DimExpr> size_of(const opset::NodeView& node, int i, int axis) {
  const auto shape = node.known_shape(i);
  if (!shape) return {};
  const int rank = static_cast<int>(shape->size()), at = axis < 0 ? axis + rank : axis;
  if (at < 0 || at >= rank) return {};
  return (*shape)[static_cast<std::size_t>(at)];
}

// "axis 1 of weight"
inline std::string axis_text(const opset::NodeView& node, int i, int axis) {
  const auto shape = node.known_shape(i);
  return "axis " + std::to_string(axis < 0 && shape ? axis + static_cast<int>(shape->size()) : axis) + " of " +
         std::string(node.schema().inputs[static_cast<std::size_t>(i)].name);
}

// The axis of input `i` has size `size`, which `of` names. Returns the more definite of the two.
inline opset::DimExpr agree(const opset::NodeView& node, int i, int axis, const opset::DimExpr& size,
                            std::string_view of) {
  const auto own = size_of(node, i, axis);
  return own ? node.unify(size, *own, std::string(of) + " and " + axis_text(node, i, axis)) : size;
}

// Two axes have one size. Returns the more definite of the two, nothing if neither is known.
inline std::optional<opset::DimExpr> agree(const opset::NodeView& node, int i, int axis, int j, int other_axis) {
  const auto first = size_of(node, i, axis);
  if (!first) return size_of(node, j, other_axis);
  return agree(node, j, other_axis, *first, axis_text(node, i, axis));
}

// The input's rank, if it is known, is one of these.
inline void require_rank_of(const opset::NodeView& node, int i, std::initializer_list<int> ranks) {
  const auto shape = node.known_shape(i);
  if (!shape) return;
  std::string all;
  for (const int rank : ranks) {
    if (static_cast<int>(shape->size()) == rank) return;
    all += (all.empty() ? "" : " or ") + std::to_string(rank);
  }
  node.fail(std::string(node.schema().inputs[static_cast<std::size_t>(i)].name) + " has rank " +
            std::to_string(shape->size()) + ", but has to have " + all);
}

// Input `i` is a list of as many numbers as input `j` is long along its axis.
inline void require_list(const opset::NodeView& node, int i, int j, int axis) {
  node.require_rank(i, 1);
  agree(node, j, axis, i, 0);
}

}  // namespace norn::ops
