// Version steps of pooling: upwards nothing changes; downwards an attribute may be removed only where it has its
// default.
#include "ops/nn/pool/pool.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace pool_adapt_cc {
namespace {

using namespace transform;

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
}  // namespace pool_adapt_cc

void pool_steps(StepTable& table) {
  table.add(MaxPool, 1, 8, unchanged, max_8_1);
  table.add(MaxPool, 8, 10, unchanged, max_10_8);
  table.add(AveragePool, 1, 7, unchanged, average_7_1);
  table.add(AveragePool, 7, 10, unchanged, average_10_7);
  table.add(AveragePool, 11, 19, unchanged, drop_dilations);
}

}  // namespace norn::ops
