// y[k] = x[0] op ... op x[k] along the axis, from the other end if `reverse`, without x[k] itself if `exclusive`.
// Integers wrap around; floating types are summed in double, and each result is rounded once.
#include "ops/math/cumulative/cumulative.h"

#include "ops/common/loops.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace cumulative_ref_cc {
namespace {

using opset::ReferenceContext;

template <class D>
void run(ReferenceContext& ctx, D neutral, D (*op)(D, D)) {
  const Tensor& x = ctx.input(0);
  const CumulativeParams p = resolve_cumulative(ctx, x.rank());
  Tensor& y = ctx.output(0, x.dtype(), x.dims());
  map_lines<D>(x, y, view_along(x.dims(), ctx.require(p.axis, "axis")), [&](std::span<D> line) {
    D total = neutral;
    for (std::size_t i = 0; i < line.size(); ++i) {
      D& element = line[p.reverse ? line.size() - 1 - i : i];
      const D with = op(total, element);
      element = p.exclusive ? total : with;
      total = with;
    }
  });
}

void cum_sum_ref(ReferenceContext& ctx) {
  visit_real(domain_of(ctx.input(0).dtype()), [&]<class D>(D) { run<D>(ctx, 0, plus); });
}
void cum_prod_ref(ReferenceContext& ctx) {
  visit_real(domain_of(ctx.input(0).dtype()), [&]<class D>(D) { run<D>(ctx, 1, times); });
}

}  // namespace
}  // namespace cumulative_ref_cc

void cumulative_references(opset::ReferenceTable& table) {
  table.add(CumProd, cum_prod_ref);
  table.add(CumSum, cum_sum_ref);
}

}  // namespace norn::ops
