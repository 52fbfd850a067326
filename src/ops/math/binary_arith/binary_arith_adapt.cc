// 6 -> 7: B is aligned at `axis` before and at the last dimension after, so it needs as many trailing ones as lie
// between. 7 -> 6: B's ones at both ends go, and what is left has to be a run of A's dimensions.
#include <algorithm>

#include "ops/math/binary_arith/binary_arith.h"
#include "opset/registry.h"
#include "transform/version_step.h"

namespace norn::ops {
namespace {

using opset::DimExpr;
using opset::Dims;
using transform::NodeEdit;

// Adds (Unsqueeze) or removes (Squeeze) dimensions of size 1 of B.
void change_ones(NodeEdit& edit, std::string_view op_name, const std::vector<std::int64_t>& axes, const Shape& dims) {
  if (const Tensor* b = edit.input_constant(1)) {
    edit.set_input(1, b->reshaped(dims));
    return;
  }
  const opset::Operator* op = opset::find_operator("", op_name);
  if (!op) edit.cannot("B needs " + std::string(op_name) + ", which this build does not have");
  edit.wrap_input(1, *op, 1, {transform::make_attr("axes", axes)});
}

void up_1_6(NodeEdit& edit) { edit.remove_attr("consumed_inputs"); }
void down_6_1(NodeEdit&) {}  // only `consumed_inputs`, which meant nothing, is missing

void up_6_7(NodeEdit& edit) {
  const auto axis = edit.attrs().find_i("axis");
  const bool broadcasts = edit.attrs().i("broadcast") != 0;
  if (broadcasts && axis) {
    const auto rank_a = edit.input_rank(0), rank_b = edit.input_rank(1);
    if (!rank_a || !rank_b) edit.cannot("B is placed by \"axis\", which takes known ranks of A and B to express");
    const std::int64_t from = *axis < 0 ? *axis + *rank_a : *axis, ones = *rank_a - from - *rank_b;
    if (from < 0 || ones < 0) edit.cannot("B does not fit into A at axis " + std::to_string(*axis));
    if (ones > 0) {
      Shape dims;
      if (const Tensor* b = edit.input_constant(1)) dims = b->dims();
      dims.resize(dims.size() + static_cast<std::size_t>(ones), 1);
      std::vector<std::int64_t> axes;
      for (std::int64_t i = 0; i < ones; ++i) axes.push_back(*rank_b + i);
      change_ones(edit, "Unsqueeze", axes, dims);
    }
  }
  edit.remove_attr("axis");
  edit.remove_attr("broadcast");
}

void down_7_6(NodeEdit& edit) {
  const auto &a = edit.input_type(0), &b = edit.input_type(1);
  if (!a.has_rank() || !b.has_rank()) edit.cannot("before opset version 7 broadcasting takes known shapes to express");
  if (*a.shape == *b.shape) return;
  const Dims &x = *a.shape, &y = *b.shape;
  const auto is_one = [](const DimExpr& d) { return d == DimExpr(1); };
  const auto first = static_cast<std::size_t>(std::find_if_not(y.begin(), y.end(), is_one) - y.begin());
  std::size_t last = y.size();
  while (last > first && is_one(y[last - 1])) --last;
  const auto why = [&] {
    edit.cannot("B's shape " + to_string(y) + " is not a run of A's shape " + to_string(x) +
                ", and before opset version 7 nothing else is broadcast");
  };
  // In A's dimensions B stands at [axis, axis + last - first).
  const auto axis = static_cast<std::int64_t>(x.size()) - static_cast<std::int64_t>(y.size() - first);
  if (y.size() > x.size()) why();
  for (std::size_t d = first; d < last; ++d) {
    if (!(x[static_cast<std::size_t>(axis) + d - first] == y[d])) why();
  }
  if (first > 0 || last < y.size()) {
    std::vector<std::int64_t> axes;
    Shape dims;
    for (std::size_t d = 0; d < y.size(); ++d) {
      if (d < first || d >= last) axes.push_back(static_cast<std::int64_t>(d));
    }
    if (const Tensor* constant = edit.input_constant(1)) {
      dims.assign(constant->dims().begin() + static_cast<std::ptrdiff_t>(first),
                  constant->dims().begin() + static_cast<std::ptrdiff_t>(last));
    }
    change_ones(edit, "Squeeze", axes, dims);
  }
  edit.set_attr("broadcast", std::int64_t{1});
  if (last > first && last < y.size()) edit.set_attr("axis", axis);
}

}  // namespace

void binary_arith_steps(transform::StepTable& table) {
  for (const opset::Operator* op : {&Add, &Sub, &Mul, &Div}) {
    table.add(*op, 1, 6, up_1_6);
    table.add(*op, 6, 1, down_6_1);
    table.add(*op, 6, 7, up_6_7);
    table.add(*op, 7, 6, down_7_6);
    table.keeps(*op, 6, "\"axis\" places B, which takes known ranks to express");
  }
}

}  // namespace norn::ops
