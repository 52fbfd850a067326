// Version steps of ArgMax and ArgMin.
#include "ops/reduction/arg_extremum/arg_extremum.h"
#include "transform/version_step.h"

namespace norn::ops {
namespace {

using transform::NodeEdit;

// What is new may be left out.
void unchanged(NodeEdit&) {}

void down_11_1(NodeEdit& edit) {
  const std::int64_t axis = edit.attrs().i("axis");
  if (axis >= 0) return;
  const auto rank = edit.input_rank(0);
  if (!rank) edit.cannot("axis is negative, which needs a known rank to be counted from the front");
  edit.set_attr("axis", axis + *rank);
}

void down_12_11(NodeEdit& edit) {
  if (edit.attrs().i("select_last_index") != 0) {
    edit.cannot("select_last_index is set; the older version gives the first index");
  }
  edit.remove_attr("select_last_index");
}

}  // namespace

void arg_extremum_steps(transform::StepTable& table) {
  for (const opset::Operator* op : {&ArgMax, &ArgMin}) {
    table.add(*op, 1, 11, unchanged);
    table.add(*op, 11, 1, down_11_1);
    table.add(*op, 11, 12, unchanged);
    table.add(*op, 12, 11, down_12_11);
  }
}

}  // namespace norn::ops
