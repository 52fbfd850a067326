// Squeeze and Unsqueeze: 11 allowed negative axes, 13 made the axes an input.
#include <vector>

#include "ops/tensor/squeeze/squeeze.h"
#include "opset/value_type.h"
#include "transform/version_step.h"

namespace norn::ops {
namespace {

// Every axis of version 1 means the same in 11.
void up_1_11(transform::NodeEdit&) {}

// Axes of Unsqueeze count in the output, whose rank is larger by their number.
void without_negative_axes(transform::NodeEdit& edit, bool count_in_output) {
  auto axes = edit.attrs().find_ints("axes");
  if (!axes) return;
  bool changed = false;
  for (std::int64_t& a : *axes) {
    if (a >= 0) continue;
    const auto rank = edit.input_rank(0);
    if (!rank) edit.cannot("an axis is negative and the input's rank is unknown");
    a += *rank + (count_in_output ? static_cast<std::int64_t>(axes->size()) : 0);
    changed = true;
  }
  if (changed) edit.set_attr("axes", *axes);
}
void squeeze_down_11_1(transform::NodeEdit& edit) { without_negative_axes(edit, false); }
void unsqueeze_down_11_1(transform::NodeEdit& edit) { without_negative_axes(edit, true); }

void up_11_13(transform::NodeEdit& edit) {
  const auto axes = edit.attrs().find_ints("axes");
  if (!axes) return;
  edit.remove_attr("axes");
  edit.set_input_ints(1, *axes);
}

void down_13_11(transform::NodeEdit& edit) {
  if (!edit.has_input(1)) return;
  const Tensor* axes = edit.input_constant(1);
  if (!axes) edit.cannot("before opset 13 the axes are an attribute, and here they are computed");
  const auto* p = axes->as<std::int64_t>();
  const std::vector<std::int64_t> values(p, p + axes->size());
  edit.drop_input(1);
  edit.set_attr("axes", values);
}

}  // namespace

void squeeze_steps(transform::StepTable& table) {
  table.add(Squeeze, 1, 11, up_1_11);
  table.add(Squeeze, 11, 1, squeeze_down_11_1);
  table.add(Squeeze, 11, 13, up_11_13);
  table.add(Squeeze, 13, 11, down_13_11);
  table.add(Unsqueeze, 1, 11, up_1_11);
  table.add(Unsqueeze, 11, 1, unsqueeze_down_11_1);
  table.add(Unsqueeze, 11, 13, up_11_13);
  table.add(Unsqueeze, 13, 11, down_13_11);
}

}  // namespace norn::ops
