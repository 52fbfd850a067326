// Slice: attributes up to 9, inputs and steps from 10, negative axes from 11.
#include <string>
#include <vector>

#include "ops/tensor/slice/slice.h"
#include "opset/value_type.h"
#include "transform/version_step.h"

namespace norn::ops {
namespace {

std::vector<std::int64_t> ints_of(const Tensor& t) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < t.size(); ++i) {
    values.push_back(t.dtype() == DataType::Int64 ? t.as<std::int64_t>()[i] : t.as<std::int32_t>()[i]);
  }
  return values;
}

std::vector<std::int64_t> constant_list(transform::NodeEdit& edit, int i, const char* name) {
  const Tensor* t = edit.input_constant(i);
  if (!t) edit.cannot(std::string(name) + " must be constant before opset 10, and here it is computed");
  return ints_of(*t);
}

void up_1_10(transform::NodeEdit& edit) {
  const auto starts = edit.attrs().ints("starts"), ends = edit.attrs().ints("ends");
  const auto axes = edit.attrs().find_ints("axes");
  edit.remove_attr("starts");
  edit.remove_attr("ends");
  if (axes) edit.remove_attr("axes");
  edit.set_input_ints(1, starts);
  edit.set_input_ints(2, ends);
  if (axes) edit.set_input_ints(3, *axes);
}

void down_10_1(transform::NodeEdit& edit) {
  const auto starts = constant_list(edit, 1, "starts"), ends = constant_list(edit, 2, "ends");
  std::vector<std::int64_t> axes;
  const bool has_axes = edit.has_input(3);
  if (has_axes) axes = constant_list(edit, 3, "axes");
  if (edit.has_input(4)) {
    for (const std::int64_t s : constant_list(edit, 4, "steps")) {
      if (s != 1) edit.cannot("a step other than 1 came with opset 10");
    }
  }
  for (int i = edit.input_count(); i-- > 1;) edit.drop_input(i);
  edit.set_attr("starts", starts);
  edit.set_attr("ends", ends);
  if (has_axes) edit.set_attr("axes", axes);
}

// Every axis of version 10 means the same in 11.
void up_10_11(transform::NodeEdit&) {}

void down_11_10(transform::NodeEdit& edit) {
  if (!edit.has_input(3)) return;
  const Tensor* constant = edit.input_constant(3);
  if (!constant) edit.cannot("axes are computed, and may be negative from opset 11 on only");
  auto axes = ints_of(*constant);
  bool changed = false;
  for (std::int64_t& a : axes) {
    if (a >= 0) continue;
    const auto rank = edit.input_rank(0);
    if (!rank) edit.cannot("an axis is negative and the input's rank is unknown");
    a += *rank;
    changed = true;
  }
  if (!changed) return;
  Tensor replaced(constant->dtype(), constant->dims());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (replaced.dtype() == DataType::Int64)
      replaced.as_mutable<std::int64_t>()[i] = axes[i];
    else
      replaced.as_mutable<std::int32_t>()[i] = static_cast<std::int32_t>(axes[i]);
  }
  edit.set_input(3, replaced);
}

}  // namespace

void slice_steps(transform::StepTable& table) {
  table.add(Slice, 1, 10, up_1_10);
  table.add(Slice, 10, 1, down_10_1);
  table.add(Slice, 10, 11, up_10_11);
  table.add(Slice, 11, 10, down_11_10);
}

}  // namespace norn::ops
