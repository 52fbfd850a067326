#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/tensor/where/where.h"
#include "opset/reference.h"

namespace norn::ops {
namespace {

void where_ref(opset::ReferenceContext& ctx) {
  const Tensor &condition = ctx.input(0), &x = ctx.input(1), &y = ctx.input(2);
  const Shape dims = broadcast(condition.dims(), broadcast(x.dims(), y.dims()));
  Tensor& out = ctx.output(0, x.dtype(), dims);
  const bool* takes_x = condition.as<bool>();
  std::int64_t i = 0;
  for (Odometer at(dims, {broadcast_strides(condition.dims(), dims), broadcast_strides(x.dims(), dims),
                          broadcast_strides(y.dims(), dims)});
       !at.done(); at.next(), ++i) {
    const bool first = takes_x[at.offset(0)];
    copy_elements(out, i, first ? x : y, at.offset(first ? 1 : 2), 1);
  }
}

}  // namespace

void where_references(opset::ReferenceTable& table) { table.add(Where, where_ref); }

}  // namespace norn::ops
