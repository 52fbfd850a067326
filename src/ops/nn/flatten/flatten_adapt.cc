// Flatten 11 allowed negative axes.
#include "ops/nn/flatten/flatten.h"
#include "transform/version_step.h"

namespace norn::ops {
namespace {

// Every axis of version 9 means the same in 11.
void up_9_11(transform::NodeEdit&) {}

void down_11_9(transform::NodeEdit& edit) {
  const std::int64_t axis = edit.attrs().i("axis");
  if (axis >= 0) return;
  const auto rank = edit.input_rank(0);
  if (!rank) edit.cannot("axis is negative and the input's rank is unknown");
  edit.set_attr("axis", axis + *rank);
}

}  // namespace

void flatten_steps(transform::StepTable& table) {
  table.add(Flatten, 9, 11, up_9_11);
  table.add(Flatten, 11, 9, down_11_9);
}

}  // namespace norn::ops
