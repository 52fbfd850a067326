#include "ops/tensor/upsample/upsample.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace upsample_ref_cc {
namespace {

void upsample_ref(opset::ReferenceContext& ctx) {
  const UpsampleParams p = resolve_upsample(ctx, ctx.input(0).rank());
  resize(ctx, p.resize, ctx.require(p.target, "scales"));
}

}  // namespace
}  // namespace upsample_ref_cc

void upsample_references(opset::ReferenceTable& table) { table.add(Upsample, upsample_ref, 1, 9); }

}  // namespace norn::ops
