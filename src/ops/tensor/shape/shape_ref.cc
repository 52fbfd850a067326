// Shape and Size read nothing of their input but its dimensions.
#include <algorithm>

#include "ops/tensor/shape/shape.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace shape_ref_cc {
namespace {

void shape_ref(opset::ReferenceContext& ctx) {
  const auto& dims = ctx.input(0).dims();
  const auto [first, last] = resolve_shape(ctx, static_cast<std::int64_t>(dims.size()));
  Tensor& out = ctx.output(0, DataType::Int64, {last - first});
  std::copy(dims.begin() + first, dims.begin() + last, out.as_mutable<std::int64_t>());
}

void size_ref(opset::ReferenceContext& ctx) {
  ctx.output(0, DataType::Int64, {}).as_mutable<std::int64_t>()[0] = ctx.input(0).size();
}

}  // namespace
}  // namespace shape_ref_cc

void shape_references(opset::ReferenceTable& table) {
  table.add(Shape, shape_ref);
  table.add(Size, size_ref);
}

}  // namespace norn::ops
