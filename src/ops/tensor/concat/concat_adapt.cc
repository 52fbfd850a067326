// Concat: the axis became required in 4 and may be negative from 11.
#include "ops/tensor/concat/concat.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace concat_adapt_cc {
namespace {

using namespace transform;

void write_axis(NodeEdit& edit) {
  if (!edit.attrs().has("axis")) edit.set_attr("axis", std::int64_t{1});
}

}  // namespace
}  // namespace concat_adapt_cc

void concat_steps(StepTable& table) {
  table.add(Concat, 1, 4, write_axis, unchanged);
  table.add(Concat, 4, 11, unchanged, axis_from_front);
}

}  // namespace norn::ops
