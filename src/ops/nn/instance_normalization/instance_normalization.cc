// Normalisation of each channel of each batch entry. Scale and bias are per channel.
#include "ops/nn/instance_normalization/instance_normalization.h"

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace instance_normalization_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Attr kEpsilon = {.name = "epsilon", .type = ir::AttributeType::Float, .def = def_float(1e-05f)};
constexpr Param kInputs1[] = {
    {.name = "input", .type = "T"},
    {.name = "scale", .type = "T"},
    {.name = "B", .type = "T"},
};
constexpr Param kInputs6[] = {
    {.name = "input", .type = "T", .diff = kDiff},
    {.name = "scale", .type = "T", .diff = kDiff},
    {.name = "B", .type = "T", .diff = kDiff},
};
constexpr Param kOutputs1[] = {{.name = "output", .type = "T"}};
constexpr Param kOutputs6[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs1[] = {{.name = "consumed_inputs", .type = ir::AttributeType::Ints}, kEpsilon};
constexpr Attr kAttrs6[] = {kEpsilon};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes22[] = {{"T", tensors(types::kFloats)}};

constexpr Schema kInstanceNormalization[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kTypes1},
    {.since = 6, .inputs = kInputs6, .outputs = kOutputs6, .attrs = kAttrs6, .types = kTypes1},
    {.since = 22, .inputs = kInputs6, .outputs = kOutputs6, .attrs = kAttrs6, .types = kTypes22, .same_meaning = true},
};

void infer_instance_normalization(InferContext& ctx) {
  if (ctx.has_rank(0) && ctx.rank(0) < 2) ctx.fail("the input needs a batch and a channel dimension");
  ctx.require_rank(1, 1);
  ctx.require_rank(2, 1);
  if (ctx.has_rank(1) && ctx.has_rank(2)) ctx.unify(ctx.shape(1)[0], ctx.shape(2)[0], "sizes of scale and B");
  same_as_input(ctx);
  if (!ctx.has_rank(0)) return;
  if (ctx.has_rank(1)) ctx.unify(ctx.shape(0)[1], ctx.shape(1)[0], "channels of the input and size of scale");
  if (ctx.has_rank(2)) ctx.unify(ctx.shape(0)[1], ctx.shape(2)[0], "channels of the input and size of B");
}

}  // namespace
}  // namespace instance_normalization_cc

constinit const Operator InstanceNormalization = {
    .name = "InstanceNormalization", .history = kInstanceNormalization, .infer = infer_instance_normalization};

void instance_normalization_schemas(SchemaTable& table) { table.add(InstanceNormalization); }

}  // namespace norn::ops
