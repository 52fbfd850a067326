// Normalisation by the root of the mean square over the last axes. Computed in stash_type; the scale broadcasts to X
// and gives the output its type.
#include "ops/nn/rms_normalization/rms_normalization.h"

#include "ops/nn/layer_normalization/layer_normalization.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace rms_normalization_cc {
namespace {

using namespace opset;

constexpr Param kInputs[] = {{.name = "X", .type = "T"}, {.name = "scale", .type = "V"}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "V"}};
constexpr Attr kAttrs[] = {
    {.name = "axis", .type = ir::AttributeType::Int, .def = def_int(-1)},
    {.name = "epsilon", .type = ir::AttributeType::Float, .def = def_float(1e-05f)},
    {.name = "stash_type", .type = ir::AttributeType::Int, .def = def_int(1)},
};
constexpr TypeConstraint kTypes[] = {{"T", tensors(types::kFloats)}, {"V", tensors(types::kFloats)}};

constexpr Schema kRMSNormalization[] = {
    {.since = 23, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

void infer_rms_normalization(InferContext& ctx) {
  resolve_row_norm(ctx);
  if (!ctx.has_rank(0)) return ctx.set(0, ctx.elem(1));
  require_row_factor(ctx, 1);
  ctx.set(0, ctx.elem(1), ctx.shape(0));
}

}  // namespace
}  // namespace rms_normalization_cc

constinit const Operator RMSNormalization = {
    .name = "RMSNormalization", .history = kRMSNormalization, .infer = infer_rms_normalization};

void rms_normalization_schemas(SchemaTable& table) { table.add(RMSNormalization); }

}  // namespace norn::ops
