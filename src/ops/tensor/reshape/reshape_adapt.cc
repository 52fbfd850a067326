// Reshape: the target was an attribute up to version 4; 14 added allowzero.
#include <algorithm>
#include <vector>

#include "ops/tensor/reshape/reshape.h"
#include "opset/value_type.h"
#include "transform/version_step.h"

namespace norn::ops {
namespace {

std::vector<std::int64_t> ints_of(const Tensor& tensor) {
  const auto* p = tensor.as<std::int64_t>();
  return {p, p + tensor.size()};
}

void up_1_5(transform::NodeEdit& edit) {
  const auto shape = edit.attrs().find_ints("shape").value_or(std::vector<std::int64_t>{});
  edit.remove_attr("shape");
  edit.remove_attr("consumed_inputs");
  edit.set_input_ints(1, shape);
}

void down_5_1(transform::NodeEdit& edit) {
  const Tensor* shape = edit.input_constant(1);
  if (!shape) {
    edit.cannot("before opset 5 the target shape is an attribute, and here it is computed",
                "simplify the model with fixed input sizes so that the shape becomes a constant");
  }
  const auto values = ints_of(*shape);
  edit.drop_input(1);
  edit.set_attr("shape", values);
}

// Without allowzero the two versions mean the same.
void up_13_14(transform::NodeEdit&) {}

void down_14_13(transform::NodeEdit& edit) {
  const bool allowzero = edit.attrs().i("allowzero") != 0;
  const bool given = edit.attrs().has("allowzero");
  if (given) edit.remove_attr("allowzero");
  if (!allowzero) return;
  const Tensor* shape = edit.input_constant(1);
  if (!shape) edit.cannot("allowzero is set and the target shape is not a constant");
  const auto values = ints_of(*shape);
  const auto& in = edit.input_type(0).shape;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != 0) continue;
    // Copying a dimension that is 0 gives 0 as well.
    const bool copies_zero = in && i < in->size() && (*in)[i].is_constant() && (*in)[i].constant() == 0;
    if (!copies_zero) edit.cannot("a size of 0 in the target shape means 'copy' before opset 14");
  }
}

}  // namespace

void reshape_steps(transform::StepTable& table) {
  table.add(Reshape, 1, 5, up_1_5);
  table.add(Reshape, 5, 1, down_5_1);
  table.add(Reshape, 13, 14, up_13_14);
  table.add(Reshape, 14, 13, down_14_13);
}

}  // namespace norn::ops
