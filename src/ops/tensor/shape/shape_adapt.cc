// Shape 15 may give a part of the shape. Its rules for start and end are those of Slice with step 1, so going down a
// Slice follows.
#include <limits>

#include "ops/tensor/shape/shape.h"
#include "ops/tensor/slice/slice.h"
#include "transform/version_step.h"

namespace norn::ops {
namespace {

Tensor one_int(std::int64_t value) {
  Tensor tensor(DataType::Int64, {1});
  tensor.as_mutable<std::int64_t>()[0] = value;
  return tensor;
}

// Without the new attributes the whole shape is meant.
void up_13_15(transform::NodeEdit&) {}

void down_15_13(transform::NodeEdit& edit) {
  const std::int64_t start = edit.attrs().i("start");
  const auto end = edit.attrs().find_i("end");
  edit.remove_attr("start");
  edit.remove_attr("end");
  if (start == 0 && !end) return;
  edit.wrap_output(0, Slice, 13, {}, {one_int(start), one_int(end.value_or(std::numeric_limits<std::int64_t>::max()))});
}

}  // namespace

void shape_steps(transform::StepTable& table) {
  table.add(Shape, 13, 15, up_13_15);
  table.add(Shape, 15, 13, down_15_13);
}

}  // namespace norn::ops
