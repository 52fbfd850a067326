// Negative axes came with 11.
#include "ops/tensor/compress/compress.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace compress_adapt_cc {
namespace {

void given_axis_from_front(transform::NodeEdit& edit) {
  const auto axis = edit.attrs().find_i("axis");
  if (!axis || *axis >= 0) return;
  const auto rank = edit.input_rank(0);
  if (!rank) edit.cannot("the axis is negative, which needs a known rank to be counted from the front");
  edit.set_attr("axis", *axis + *rank);
}

}  // namespace
}  // namespace compress_adapt_cc

void compress_steps(transform::StepTable& table) {
  table.add(Compress, 9, 11, transform::unchanged, given_axis_from_front);
}

}  // namespace norn::ops
