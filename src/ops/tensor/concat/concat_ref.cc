// Concat: for each index before the axis, the inputs' blocks one after another.
#include <string>

#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/tensor/concat/concat.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace concat_ref_cc {
namespace {

void concat_ref(opset::ReferenceContext& ctx) {
  const Tensor& first = ctx.input(0);
  const std::int64_t axis = resolve_concat(ctx, first.rank());
  const auto a = static_cast<std::size_t>(axis);
  Shape dims = first.dims();
  for (int i = 1; i < ctx.input_count(); ++i) {
    const Tensor& next = ctx.input(i);
    bool fits = next.rank() == first.rank() && next.dtype() == first.dtype();
    for (std::size_t d = 0; fits && d < dims.size(); ++d) fits = d == a || next.dims()[d] == dims[d];
    if (!fits) {
      ctx.fail("input " + std::to_string(i) + " of shape " + to_string(next.dims()) + " does not join " +
               to_string(first.dims()) + " along axis " + std::to_string(axis));
    }
    dims[a] += next.dims()[a];
  }
  Tensor& out = ctx.output(0, first.dtype(), dims);
  if (out.size() == 0) return;
  const AxisView view = view_along(dims, axis);
  std::int64_t to = 0;
  for (std::int64_t o = 0; o < view.outer; ++o) {
    for (int i = 0; i < ctx.input_count(); ++i) {
      const std::int64_t block = ctx.input(i).dims()[a] * view.inner;
      copy_elements(out, to, ctx.input(i), o * block, block);
      to += block;
    }
  }
}

}  // namespace
}  // namespace concat_ref_cc

void concat_references(opset::ReferenceTable& table) { table.add(Concat, concat_ref); }

}  // namespace norn::ops
