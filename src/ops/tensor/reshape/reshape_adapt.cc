// Reshape: the target was an attribute up to version 4; 14 added allowzero.
#include <vector>

#include "ops/tensor/reshape/reshape.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace reshape_adapt_cc {
namespace {

using namespace transform;

void target_to_input(NodeEdit& edit) {
  const auto shape = edit.attrs().find_ints("shape").value_or(std::vector<std::int64_t>{});
  edit.remove_attr("shape");
  drop_consumed_inputs(edit);
  edit.set_input_ints(1, shape);
}

void target_to_attribute(NodeEdit& edit) { input_to_attr(edit, 1, "shape"); }

void without_allowzero(NodeEdit& edit) {
  const bool allowzero = edit.attrs().flag("allowzero");
  const bool given = edit.attrs().has("allowzero");
  if (given) edit.remove_attr("allowzero");
  if (!allowzero) return;
  const auto values = constant_ints(edit, 1);
  const auto& in = edit.input_type(0).shape;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != 0) continue;
    // Copying a dimension that is 0 gives 0 as well.
    const bool copies_zero = in && i < in->size() && (*in)[i].is_constant() && (*in)[i].constant() == 0;
    if (!copies_zero) edit.cannot("a size of 0 in the target shape means 'copy' before opset 14");
  }
}

}  // namespace
}  // namespace reshape_adapt_cc

void reshape_steps(StepTable& table) {
  table.add(Reshape, 1, 5, target_to_input, target_to_attribute);
  table.add(Reshape, 13, 14, unchanged, without_allowzero);
}

}  // namespace norn::ops
