// ConstantOfShape: one element, repeated.
#include <string>

#include "ir/tensor_data.h"
#include "ops/common/elements.h"
#include "ops/generator/constant_of_shape/constant_of_shape.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace constant_of_shape_ref_cc {
namespace {

void constant_of_shape_ref(opset::ReferenceContext& ctx) {
  const Tensor& wanted = ctx.input(0);
  if (wanted.rank() != 1) ctx.fail("the shape input must have rank 1, not " + to_string(wanted.dims()));
  const Shape dims = to_ints(wanted);
  for (const std::int64_t d : dims) {
    if (d < 0) ctx.fail("the shape asked for has a negative size: " + to_string(dims));
  }
  Tensor value;
  if (const ir::Tensor* given = ctx.attrs().tensor("value")) {
    value = ir::to_value(*given);
    if (value.size() != 1) ctx.fail("`value` must have one element, not " + std::to_string(value.size()));
    if (!opset::find_type(ctx.schema(), "T2")->set.allows_tensor(value.dtype()))
      ctx.fail("`value` is of type " + std::string(data_type_name(value.dtype())) +
               ", which this version does not have");
  } else {
    value = Tensor(DataType::Float, {1});
    value.as_mutable<float>()[0] = 0;
  }
  Tensor& out = ctx.output(0, value.dtype(), dims);
  copy_elements(out, 0, value, 0, out.size(), 0);
}

}  // namespace
}  // namespace constant_of_shape_ref_cc

void constant_of_shape_references(opset::ReferenceTable& table) { table.add(ConstantOfShape, constant_of_shape_ref); }

}  // namespace norn::ops
