#include "ops/nn/lp_normalization/lp_normalization.h"

#include "ops/common/loops.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace lp_normalization_ref_cc {
namespace {

void lp_normalization_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  const LpNormalizationParams params = resolve_lp_normalization(ctx, x.rank());
  Tensor& y = ctx.output(0, x.dtype(), x.dims());
  map_lines<double>(x, y, view_along(x.dims(), params.axis), [&](std::span<double> line) {
    const double norm = p_norm(line, static_cast<double>(params.p));
    for (double& v : line) v = norm == 0 ? 0 : v / norm;
  });
}

}  // namespace
}  // namespace lp_normalization_ref_cc

void lp_normalization_references(opset::ReferenceTable& table) { table.add(LpNormalization, lp_normalization_ref); }

}  // namespace norn::ops
