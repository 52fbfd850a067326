// Flatten: a copy under two dimensions.
#include "ops/common/elements.h"
#include "ops/nn/flatten/flatten.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace flatten_ref_cc {
namespace {

void flatten_ref(opset::ReferenceContext& ctx) {
  const Tensor& in = ctx.input(0);
  const auto split = in.dims().begin() + ctx.axis(in.rank(), true);
  const Shape dims = {element_count(Shape(in.dims().begin(), split)), element_count(Shape(split, in.dims().end()))};
  copy_elements(ctx.output(0, in.dtype(), dims), 0, in, 0, in.size());
}

}  // namespace
}  // namespace flatten_ref_cc

void flatten_references(opset::ReferenceTable& table) { table.add(Flatten, flatten_ref); }

}  // namespace norn::ops
