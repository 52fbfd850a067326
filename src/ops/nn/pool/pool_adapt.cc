// Version steps of pooling: upwards nothing changes; downwards an attribute may go only where it said its default.
#include "ops/nn/pool/pool.h"
#include "transform/version_step.h"

namespace norn::ops {
namespace {

using transform::NodeEdit;

// Newer versions add attributes whose defaults mean what went without them.
void unchanged(NodeEdit&) {}

void drop_flag(NodeEdit& edit, const char* name) {
  if (edit.attrs().i(name) != 0) {
    edit.cannot(std::string(name) + " is set, which the older version does not have");
  }
  edit.remove_attr(name);
}

void drop_dilations(NodeEdit& edit) {
  for (std::int64_t d : edit.attrs().find_ints("dilations").value_or(std::vector<std::int64_t>{})) {
    if (d != 1) edit.cannot("the window is dilated, which the older version cannot express");
  }
  edit.remove_attr("dilations");
}

void max_8_1(NodeEdit& edit) {
  if (edit.wants_output(1)) edit.cannot("the output Indices is used, which the older version does not have");
  if (edit.output_count() > 1) edit.drop_output(1);
  edit.remove_attr("storage_order");
}

void max_10_8(NodeEdit& edit) {
  drop_flag(edit, "ceil_mode");
  drop_dilations(edit);
}

void average_7_1(NodeEdit& edit) {
  const opset::Attrs attrs = edit.attrs();
  const std::string auto_pad = attrs.s("auto_pad");
  bool padded = auto_pad != "NOTSET" && auto_pad != "VALID";
  if (auto_pad == "NOTSET") {
    for (std::int64_t p : attrs.find_ints("pads").value_or(std::vector<std::int64_t>{})) padded |= p != 0;
  }
  if (padded)
    drop_flag(edit, "count_include_pad");
  else
    edit.remove_attr("count_include_pad");
}

void average_10_7(NodeEdit& edit) { drop_flag(edit, "ceil_mode"); }

}  // namespace

void pool_steps(transform::StepTable& table) {
  table.add(MaxPool, 1, 8, unchanged);
  table.add(MaxPool, 8, 1, max_8_1);
  table.add(MaxPool, 8, 10, unchanged);
  table.add(MaxPool, 10, 8, max_10_8);
  table.add(AveragePool, 1, 7, unchanged);
  table.add(AveragePool, 7, 1, average_7_1);
  table.add(AveragePool, 7, 10, unchanged);
  table.add(AveragePool, 10, 7, average_10_7);
  table.add(AveragePool, 11, 19, unchanged);
  table.add(AveragePool, 19, 11, drop_dilations);
}

}  // namespace norn::ops
