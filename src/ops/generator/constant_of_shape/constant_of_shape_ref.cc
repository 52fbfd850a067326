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
  const ConstantOfShapeParams p = resolve_constant_of_shape(ctx);
  Tensor value(DataType::Float, {1});
  if (p.value)
    value = ir::to_value(*p.value);
  else
    value.as_mutable<float>()[0] = 0;
  Tensor& out = ctx.output(0, p.elem, opset::to_constants(ctx.require(p.shape, "shape")));
  copy_elements(out, 0, value, 0, out.size(), 0);
}

}  // namespace
}  // namespace constant_of_shape_ref_cc

void constant_of_shape_references(opset::ReferenceTable& table) { table.add(ConstantOfShape, constant_of_shape_ref); }

}  // namespace norn::ops
