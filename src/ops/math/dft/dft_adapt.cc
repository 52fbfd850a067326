// Version steps of DFT: the axis became an input, and another one the default.
#include "ops/math/dft/dft.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace dft_adapt_cc {
namespace {

using namespace transform;

void axis_to_input(NodeEdit& edit) {
  Tensor axis(DataType::Int64, {});
  *axis.as_mutable<std::int64_t>() = edit.attrs().i("axis");
  edit.remove_attr("axis");
  edit.set_input(2, axis);
}

void axis_to_attribute(NodeEdit& edit) {
  std::int64_t axis = -2;
  if (edit.has_input(2)) {
    const auto given = constant_ints(edit, 2);
    if (given.size() != 1) edit.cannot("the axis is not one number");
    axis = given.front();
  }
  while (edit.input_count() > 2) edit.drop_input(edit.input_count() - 1);
  edit.set_attr("axis", axis);
}

}  // namespace
}  // namespace dft_adapt_cc

void dft_steps(StepTable& table) { table.add(DFT, 17, 20, axis_to_input, axis_to_attribute); }

}  // namespace norn::ops
