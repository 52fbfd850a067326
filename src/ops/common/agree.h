// How inference compares sizes of a node's inputs. What is not known at once is an equality, which a run keeps.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "opset/infer_context.h"

namespace norn::ops {

// Size of axis `axis` of input `i`, counted from behind if it is negative; nothing if its rank is not known.
inline std::optional<opset::DimExpr> size_of(const opset::InferContext& ctx, int i, int axis) {
  if (!ctx.has_input(i) || !ctx.has_rank(i)) return {};
  const int at = axis < 0 ? axis + ctx.rank(i) : axis;
  if (at < 0 || at >= ctx.rank(i)) return {};
  return ctx.shape(i)[static_cast<std::size_t>(at)];
}

// "axis 1 of weight"
inline std::string axis_text(const opset::InferContext& ctx, int i, int axis) {
  return "axis " + std::to_string(axis < 0 ? axis + ctx.rank(i) : axis) + " of " +
         std::string(ctx.schema().inputs[static_cast<std::size_t>(i)].name);
}

// The axis of input `i` has size `size`, which `of` names: what both say together.
inline opset::DimExpr agree(opset::InferContext& ctx, int i, int axis, const opset::DimExpr& size,
                            std::string_view of) {
  const auto own = size_of(ctx, i, axis);
  return own ? ctx.unify(size, *own, std::string(of) + " and " + axis_text(ctx, i, axis)) : size;
}

// Two axes have one size: what both say together, nothing if neither is known.
inline std::optional<opset::DimExpr> agree(opset::InferContext& ctx, int i, int axis, int j, int other_axis) {
  const auto first = size_of(ctx, i, axis);
  if (!first) return size_of(ctx, j, other_axis);
  return agree(ctx, j, other_axis, *first, axis_text(ctx, i, axis));
}

// The input's rank, if it is known, is one of these.
inline void require_rank_of(const opset::InferContext& ctx, int i, std::initializer_list<int> ranks) {
  if (!ctx.has_input(i) || !ctx.has_rank(i)) return;
  std::string all;
  for (const int rank : ranks) {
    if (ctx.rank(i) == rank) return;
    all += (all.empty() ? "" : " or ") + std::to_string(rank);
  }
  ctx.fail(std::string(ctx.schema().inputs[static_cast<std::size_t>(i)].name) + " has rank " +
           std::to_string(ctx.rank(i)) + ", but has to have " + all);
}

// Input `i` is a list of as many numbers as input `j` is long along its axis.
inline void require_list(opset::InferContext& ctx, int i, int j, int axis) {
  ctx.require_rank(i, 1);
  agree(ctx, j, axis, i, 0);
}

}  // namespace norn::ops
