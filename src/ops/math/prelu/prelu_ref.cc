// y = x, or slope * x where x is below 0; integers wrap around. Nodes before version 7, whose slope is per channel,
// run as their function body.
#include "ops/math/prelu/prelu.h"

#include "ops/common/loops.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace prelu_ref_cc {
namespace {

void prelu_ref(opset::ReferenceContext& ctx) {
  const Tensor &x = ctx.input(0), &slope = ctx.input(1);
  const norn::Shape& dims = slope.dims();
  if (broadcast(x.dims(), dims) != x.dims())
    ctx.fail("the slope of shape " + to_string(dims) + " does not broadcast to X of " + to_string(x.dims()));
  Tensor& y = ctx.output(0, x.dtype(), x.dims());
  visit_real(domain_of(x.dtype()), [&]<class D>(D) {
    std::vector<D> values = load_all<D>(x);
    const std::vector<D> slopes = load_all<D>(slope);
    std::size_t i = 0;
    for (Odometer at(x.dims(), {broadcast_strides(dims, x.dims())}); !at.done(); at.next(), ++i)
      if (values[i] < D{0}) values[i] = times(slopes[static_cast<std::size_t>(at.offset(0))], values[i]);
    store_all<D>(y, values);
  });
}

}  // namespace
}  // namespace prelu_ref_cc

void prelu_references(opset::ReferenceTable& table) { table.add(PRelu, prelu_ref, 7); }

}  // namespace norn::ops
