// Version steps of Softmax, LogSoftmax and Hardmax between the matrix view (before 13) and one axis.
//
// Where only one dimension from the axis on is other than 1, both views are the same. Otherwise the old one flattens,
// which needs a shape known well enough to restore it, and the new one moves its axis to the end.
#include <numeric>

#include "ops/math/softmax/softmax.h"
#include "ops/nn/flatten/flatten.h"
#include "ops/tensor/reshape/reshape.h"
#include "ops/tensor/transpose/transpose.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace softmax_adapt_cc {
namespace {

using namespace transform;

std::int64_t normalized(NodeEdit& edit, std::int64_t axis, std::int64_t rank) {
  if (axis < -rank || axis > rank) {
    edit.cannot("axis " + std::to_string(axis) + " is out of range for rank " + std::to_string(rank));
  }
  return axis < 0 ? axis + rank : axis;
}

void along_one_axis(NodeEdit& edit) {
  const std::int64_t given = edit.attrs().i("axis");
  if (given == -1) return edit.set_attr("axis", given);
  const auto& shape = edit.input_type(0).shape;
  if (!shape) edit.cannot("the rank is not known, so neither is what lies behind the axis");
  const auto rank = static_cast<std::int64_t>(shape->size());
  const std::int64_t axis = normalized(edit, given, rank);
  std::int64_t wide = 0, only = rank - 1;
  for (std::int64_t d = axis; d < rank; ++d) {
    if ((*shape)[static_cast<std::size_t>(d)] == opset::DimExpr(1)) continue;
    ++wide;
    only = d;
  }
  if (wide <= 1 && axis < rank) return edit.set_attr("axis", only);

  Tensor restored(DataType::Int64, {rank});
  int unknown = 0;
  for (std::int64_t d = 0; d < rank; ++d) {
    const opset::DimExpr& size = (*shape)[static_cast<std::size_t>(d)];
    unknown += size.is_constant() ? 0 : 1;
    restored.as_mutable<std::int64_t>()[d] = size.is_constant() ? size.constant() : -1;
    if (size == opset::DimExpr(0)) return edit.set_attr("axis", std::int64_t{-1});  // nothing to compute
  }
  if (unknown > 1) edit.cannot("several sizes are not known, so the flattened shape could not be restored");
  edit.wrap_input(0, Flatten, 13, {make_attr("axis", axis)});
  edit.set_attr("axis", std::int64_t{-1});
  edit.wrap_output(0, Reshape, 13, {}, {restored});
}

void as_matrix(NodeEdit& edit) {
  const std::int64_t given = edit.attrs().i("axis");
  if (given == -1) return edit.set_attr("axis", given);
  const auto rank = edit.input_rank(0);
  if (!rank) edit.cannot("the rank is not known, so neither is what lies behind the axis");
  const std::int64_t axis = normalized(edit, given, *rank);
  bool alone = true;
  for (std::int64_t d = axis + 1; d < *rank; ++d) {
    const auto& shape = edit.input_type(0).shape;
    alone = alone && shape && (*shape)[static_cast<std::size_t>(d)] == opset::DimExpr(1);
  }
  if (alone) return edit.set_attr("axis", axis);
  std::vector<std::int64_t> swapped(static_cast<std::size_t>(*rank));
  std::iota(swapped.begin(), swapped.end(), 0);
  std::swap(swapped[static_cast<std::size_t>(axis)], swapped.back());
  edit.wrap_input(0, Transpose, 1, {make_attr("perm", swapped)});
  edit.set_attr("axis", *rank - 1);
  edit.wrap_output(0, Transpose, 1, {make_attr("perm", swapped)});
}

}  // namespace
}  // namespace softmax_adapt_cc

void softmax_steps(StepTable& table) {
  for (const opset::Operator* op : {&Softmax, &LogSoftmax, &Hardmax}) {
    table.add(*op, 1, 11, unchanged, axis_from_front);
    table.add(*op, 11, 13, along_one_axis, as_matrix);
    table.keeps(*op, 11,
                "flattening at an axis that is not the last, where the shape is not known well enough to restore it");
  }
}

}  // namespace norn::ops
