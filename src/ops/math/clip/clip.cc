// Signatures of Clip. The bounds are attributes up to version 6, optional scalar inputs since 11. Bounds of shape [1]
// occur in files and are taken for scalars. A clipped shape carries symbolic integers.
#include "ops/math/clip/clip.h"

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace clip_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;
constexpr auto kNonDiff = Differentiability::NonDifferentiable;
constexpr auto kOptional = ParamOption::Optional;

constexpr Param kInput[] = {{.name = "input", .type = "T"}};
constexpr Param kOutput[] = {{.name = "output", .type = "T"}};
constexpr Param kInputs11[] = {
    {.name = "input", .type = "T"},
    {.name = "min", .type = "T", .option = kOptional},
    {.name = "max", .type = "T", .option = kOptional},
};
constexpr Param kInputs13[] = {
    {.name = "input", .type = "T", .diff = kDiff},
    {.name = "min", .type = "T", .option = kOptional, .diff = kNonDiff},
    {.name = "max", .type = "T", .option = kOptional, .diff = kNonDiff},
};
constexpr Param kOutput13[] = {{.name = "output", .type = "T", .diff = kDiff}};

constexpr Attr kAttrs1[] = {
    {.name = "consumed_inputs", .type = ir::AttributeType::Ints},
    {.name = "max", .type = ir::AttributeType::Float},
    {.name = "min", .type = ir::AttributeType::Float},
};
constexpr Attr kAttrs6[] = {
    {.name = "max", .type = ir::AttributeType::Float, .def = def_float(3.4028235e+38f)},
    {.name = "min", .type = ir::AttributeType::Float, .def = def_float(-3.4028235e+38f)},
};

constexpr TypeConstraint kFloat16To64[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kNumeric[] = {{"T", tensors(types::kNumeric)}};
constexpr TypeConstraint kNumericBf[] = {{"T", tensors(types::kNumericBf)}};

constexpr Schema kClip[] = {
    {.since = 1, .inputs = kInput, .outputs = kOutput, .attrs = kAttrs1, .types = kFloat16To64},
    {.since = 6, .inputs = kInput, .outputs = kOutput, .attrs = kAttrs6, .types = kFloat16To64},
    {.since = 11, .inputs = kInputs11, .outputs = kOutput, .types = kFloat16To64},
    {.since = 12, .inputs = kInputs11, .outputs = kOutput, .types = kNumeric, .same_meaning = true},
    {.since = 13, .inputs = kInputs13, .outputs = kOutput13, .types = kNumericBf, .same_meaning = true},
};

ClipBound bound_of(const NodeView& node, int input, const char* name) {
  if (node.version() < 11) {
    if (!node.attrs().has(name)) return {};
    norn::Tensor number(DataType::Float, {});
    *number.as_mutable<float>() = node.attrs().f(name);
    return {true, std::move(number)};
  }
  require_single(node, input);
  const norn::Tensor* number = node.constant(input);
  return {node.has_input(input), number && number->size() == 1 ? *number : norn::Tensor()};
}

void infer_clip(InferContext& ctx) {
  same_as_input(ctx);
  resolve_clip(ctx);
  if (ctx.version() < 11 || !ctx.ints(0)) return;
  Dims result = *ctx.ints(0);
  for (const int i : {1, 2}) {
    if (!ctx.has_input(i)) continue;
    const auto bound = one_int(ctx, i);
    if (!bound) return;
    for (DimExpr& x : result) x = i == 1 ? DimExpr::max(x, *bound) : DimExpr::min(x, *bound);
  }
  ctx.set_ints(0, std::move(result));
}

}  // namespace
}  // namespace clip_cc

ClipParams resolve_clip(const NodeView& node) { return {bound_of(node, 1, "min"), bound_of(node, 2, "max")}; }

constinit const Operator Clip = {.name = "Clip", .history = kClip, .infer = infer_clip, .elementwise = true};

void clip_schemas(opset::SchemaTable& table) { table.add(Clip); }

}  // namespace norn::ops
