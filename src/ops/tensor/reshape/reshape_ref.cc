// Reshape copies; only the dimensions change.
#include "ops/tensor/reshape/reshape.h"

#include "ops/common/elements.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace reshape_ref_cc {
namespace {

void reshape_ref(opset::ReferenceContext& ctx) {
  const Tensor& in = ctx.input(0);
  const opset::Dims x = opset::to_dims(in.dims());
  Shape dims;
  const auto sizes = ctx.require(resolve_reshape(ctx, &x), "shape");
  for (const auto& size : sizes) dims.push_back(size->constant());
  copy_elements(ctx.output(0, in.dtype(), dims), 0, in, 0, in.size());
}

}  // namespace
}  // namespace reshape_ref_cc

void reshape_references(opset::ReferenceTable& table) { table.add(Reshape, reshape_ref, 5); }

}  // namespace norn::ops
