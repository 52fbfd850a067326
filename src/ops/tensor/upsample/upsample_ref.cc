#include "ops/common/elements.h"
#include "ops/tensor/upsample/upsample.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace upsample_ref_cc {
namespace {

void upsample_ref(opset::ReferenceContext& ctx) {
  UpsampleParams p = resolve_upsample(ctx, ctx.input(0).rank());
  if (ctx.version() >= 9) {
    if (ctx.input(1).rank() != 1)
      ctx.fail("scales has to be a list, but has the shape " + to_string(ctx.input(1).dims()));
    for (const double scale : load_all<double>(ctx.input(1))) p.target.scales.push_back(static_cast<float>(scale));
  }
  if (p.target.scales.empty() && ctx.input(0).rank() > 0) ctx.fail("scales is empty");
  resize(ctx, p.resize, p.target, {});
}

}  // namespace
}  // namespace upsample_ref_cc

void upsample_references(opset::ReferenceTable& table) { table.add(Upsample, upsample_ref, 1, 9); }

}  // namespace norn::ops
