// Shape 15 may give a part of the shape. Its rules for start and end are those of Slice with step 1, so going down a
// Slice follows.
#include <limits>

#include "ops/tensor/shape/shape.h"
#include "ops/tensor/slice/slice.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace shape_adapt_cc {
namespace {

using namespace transform;

Tensor one_int(std::int64_t value) {
  Tensor tensor(DataType::Int64, {1});
  tensor.as_mutable<std::int64_t>()[0] = value;
  return tensor;
}

void slice_after(NodeEdit& edit) {
  const std::int64_t start = edit.attrs().i("start");
  const auto end = edit.attrs().find_i("end");
  edit.remove_attr("start");
  edit.remove_attr("end");
  if (start == 0 && !end) return;
  edit.wrap_output(0, Slice, 13, {}, {one_int(start), one_int(end.value_or(std::numeric_limits<std::int64_t>::max()))});
}

}  // namespace
}  // namespace shape_adapt_cc

void shape_steps(StepTable& table) { table.add(Shape, 13, 15, unchanged, slice_after); }

}  // namespace norn::ops
