#include "norn/error.h"
#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/math/expand/expand.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace expand_ref_cc {
namespace {

void expand_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Shape shape = opset::to_constants(ctx.require(resolve_expand(ctx), "shape"));
  const Shape dims = broadcast(x.dims(), shape);
  copy_strided(ctx.output(0, x.dtype(), dims), x, 0, broadcast_strides(x.dims(), dims));
}

}  // namespace
}  // namespace expand_ref_cc

void expand_references(opset::ReferenceTable& table) { table.add(Expand, expand_ref); }

}  // namespace norn::ops
