// A window without any input element has the norm 0.
#include "ops/nn/lp_pool/lp_pool.h"

#include "ops/common/loops.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace lp_pool_ref_cc {
namespace {

void lp_pool_ref(opset::ReferenceContext& ctx) {
  const Planes p = planes_of(ctx);
  const double order = norm_order(ctx);
  const Tensor& x = ctx.input(0);
  const std::vector<double> values = load_all<double>(x);
  Tensor& y = ctx.output(0, x.dtype(), p.out);
  std::vector<double> result(static_cast<std::size_t>(y.size())), inside;
  for_each_window(p, [&](std::span<const WindowTaps::Tap> taps, std::int64_t, std::int64_t at) {
    for (std::int64_t c = 0; c < p.count; ++c) {
      inside.clear();
      for (const WindowTaps::Tap& tap : taps)
        inside.push_back(values[static_cast<std::size_t>(c * p.in_size + tap.input)]);
      result[static_cast<std::size_t>(c * p.out_size + at)] = p_norm(inside, order);
    }
  });
  store_all(y, result);
}

}  // namespace
}  // namespace lp_pool_ref_cc

void lp_pool_references(opset::ReferenceTable& table) { table.add(LpPool, lp_pool_ref); }

}  // namespace norn::ops
