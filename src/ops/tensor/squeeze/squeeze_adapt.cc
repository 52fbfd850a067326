// Squeeze and Unsqueeze: 11 allowed negative axes, 13 made the axes an input.
#include "ops/tensor/squeeze/squeeze.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace squeeze_adapt_cc {
namespace {

using namespace transform;

// Axes of Unsqueeze count in the output, whose rank is larger by their number.
void unsqueezed_axes_from_front(NodeEdit& edit) {
  const auto axes = edit.attrs().find_ints("axes");
  axes_from_front(edit, axes ? static_cast<std::int64_t>(axes->size()) : 0);
}

void axes_to_input(NodeEdit& edit) { attr_to_input(edit, "axes", 1); }
void axes_to_attribute(NodeEdit& edit) { input_to_attr(edit, 1, "axes"); }

}  // namespace
}  // namespace squeeze_adapt_cc

void squeeze_steps(StepTable& table) {
  table.add(Squeeze, 1, 11, unchanged, axes_from_front);
  table.add(Unsqueeze, 1, 11, unchanged, unsqueezed_axes_from_front);
  for (const opset::Operator* op : {&Squeeze, &Unsqueeze}) table.add(*op, 11, 13, axes_to_input, axes_to_attribute);
}

}  // namespace norn::ops
