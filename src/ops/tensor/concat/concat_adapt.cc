// Concat: the axis became required in 4 and may be negative from 11.
#include "ops/tensor/concat/concat.h"
#include "transform/version_step.h"

namespace norn::ops {
namespace {

void up_1_4(transform::NodeEdit& edit) {
  if (!edit.attrs().has("axis")) edit.set_attr("axis", std::int64_t{1});
}

// The axis is written out, which version 1 allows.
void down_4_1(transform::NodeEdit&) {}

// Every axis of version 4 means the same in 11.
void up_4_11(transform::NodeEdit&) {}

void down_11_4(transform::NodeEdit& edit) {
  const std::int64_t axis = edit.attrs().i("axis");
  if (axis >= 0) return;
  for (int i = 0; i < edit.input_count(); ++i) {
    if (const auto rank = edit.input_rank(i)) {
      edit.set_attr("axis", axis + *rank);
      return;
    }
  }
  edit.cannot("axis is negative and the inputs' rank is unknown");
}

}  // namespace

void concat_steps(transform::StepTable& table) {
  table.add(Concat, 1, 4, up_1_4);
  table.add(Concat, 4, 1, down_4_1);
  table.add(Concat, 4, 11, up_4_11);
  table.add(Concat, 11, 4, down_11_4);
}

}  // namespace norn::ops
