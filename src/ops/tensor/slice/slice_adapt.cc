// Slice: attributes up to 9, inputs and steps from 10, negative axes from 11.
#include "ops/tensor/slice/slice.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace slice_adapt_cc {
namespace {

using namespace transform;

constexpr const char* kNames[] = {"", "starts", "ends", "axes"};

void lists_to_inputs(NodeEdit& edit) {
  for (int i = 1; i <= 3; ++i) attr_to_input(edit, kNames[i], i);
}

void lists_to_attributes(NodeEdit& edit) {
  if (edit.has_input(4)) {
    for (const std::int64_t step : constant_ints(edit, 4)) {
      if (step != 1) edit.cannot("a step other than 1 came with opset 10");
    }
  }
  while (edit.input_count() > 4) edit.drop_input(edit.input_count() - 1);
  for (int i = 3; i >= 1; --i) {
    input_to_attr(edit, i, kNames[i]);
    edit.drop_input(i);
  }
}

void axes_input_from_front(NodeEdit& edit) {
  if (!edit.has_input(3)) return;
  auto axes = constant_ints(edit, 3);
  bool changed = false;
  for (std::int64_t& a : axes) {
    if (a >= 0) continue;
    const auto rank = edit.input_rank(0);
    if (!rank) edit.cannot("an axis is negative and the input's rank is unknown");
    a += *rank;
    changed = true;
  }
  if (!changed) return;
  Tensor replaced(edit.input_constant(3)->dtype(), edit.input_constant(3)->dims());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (replaced.dtype() == DataType::Int64)
      replaced.as_mutable<std::int64_t>()[i] = axes[i];
    else
      replaced.as_mutable<std::int32_t>()[i] = static_cast<std::int32_t>(axes[i]);
  }
  edit.set_input(3, replaced);
}

}  // namespace
}  // namespace slice_adapt_cc

void slice_steps(StepTable& table) {
  table.add(Slice, 1, 10, lists_to_inputs, lists_to_attributes);
  table.add(Slice, 10, 11, unchanged, axes_input_from_front);
}

}  // namespace norn::ops
