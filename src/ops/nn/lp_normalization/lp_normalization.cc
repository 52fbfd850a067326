// Division by the p-norm along an axis. p is 1 or 2. A norm of zero gives zeros, by the text of version 22.
#include "ops/nn/lp_normalization/lp_normalization.h"

#include <string>

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace lp_normalization_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs[] = {{.name = "input", .type = "T", .diff = kDiff}};
constexpr Param kOutputs[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {
    {.name = "axis", .type = ir::AttributeType::Int, .def = def_int(-1)},
    {.name = "p", .type = ir::AttributeType::Int, .def = def_int(2)},
};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes22[] = {{"T", tensors(types::kFloats)}};

constexpr Schema kLpNormalization[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes1},
    {.since = 22, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes22, .same_meaning = true},
};

void infer_lp_normalization(InferContext& ctx) {
  if (ctx.has_rank(0)) resolve_lp_normalization(ctx, ctx.rank(0));
  same_as_input(ctx);
}

}  // namespace
}  // namespace lp_normalization_cc

LpNormalizationParams resolve_lp_normalization(const NodeView& node, std::int64_t rank) {
  const std::int64_t p = node.attrs().i("p");
  if (p != 1 && p != 2) node.fail("p is " + std::to_string(p) + ", but has to be 1 or 2");
  return {.axis = node.axis(rank), .p = p};
}

constinit const Operator LpNormalization = {
    .name = "LpNormalization", .history = kLpNormalization, .infer = infer_lp_normalization};

void lp_normalization_schemas(SchemaTable& table) { table.add(LpNormalization); }

}  // namespace norn::ops
