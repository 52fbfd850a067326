// An empty plane has the norm 0.
#include "ops/nn/global_lp_pool/global_lp_pool.h"

#include "ops/common/loops.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace global_lp_pool_ref_cc {
namespace {

void global_lp_pool_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  if (x.rank() < 2) ctx.fail("X " + to_string(x.dims()) + " needs a batch and a channel dimension");
  const double order = norm_order(ctx);
  const auto n = static_cast<std::size_t>(element_count(Shape(x.dims().begin() + 2, x.dims().end())));
  Shape out(x.dims().size(), 1);
  out[0] = x.dims()[0];
  out[1] = x.dims()[1];
  const std::vector<double> values = load_all<double>(x);
  Tensor& y = ctx.output(0, x.dtype(), out);
  std::vector<double> result(static_cast<std::size_t>(y.size()));
  for (std::size_t p = 0; p < result.size(); ++p) result[p] = p_norm(std::span(values).subspan(p * n, n), order);
  store_all(y, result);
}

}  // namespace
}  // namespace global_lp_pool_ref_cc

void global_lp_pool_references(opset::ReferenceTable& table) { table.add(GlobalLpPool, global_lp_pool_ref); }

}  // namespace norn::ops
