// Gather: every index is checked against the axis before anything is copied.
#include "ops/common/loops.h"
#include "ops/tensor/gather/gather.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace gather_ref_cc {
namespace {

void gather_ref(opset::ReferenceContext& ctx) {
  const Tensor& data = ctx.input(0);
  const Tensor& indices = ctx.input(1);
  const std::int64_t axis = ctx.axis(data.rank());
  const auto at_axis = data.dims().begin() + axis;
  const std::vector<std::int64_t> picks = indices_from_front(ctx, 1, *at_axis);
  Shape dims(data.dims().begin(), at_axis);
  dims.insert(dims.end(), indices.dims().begin(), indices.dims().end());
  dims.insert(dims.end(), at_axis + 1, data.dims().end());
  Tensor& out = ctx.output(0, data.dtype(), dims);
  if (out.size() == 0) return;
  const AxisView view = view_along(data.dims(), axis);
  std::int64_t to = 0;
  for (std::int64_t o = 0; o < view.outer; ++o) {
    for (const std::int64_t p : picks) {
      copy_elements(out, to, data, (o * view.n + p) * view.inner, view.inner);
      to += view.inner;
    }
  }
}

}  // namespace
}  // namespace gather_ref_cc

void gather_references(opset::ReferenceTable& table) { table.add(Gather, gather_ref); }

}  // namespace norn::ops
