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

void infer_clip(InferContext& ctx) {
  same_as_input(ctx);
  if (ctx.version() < 11) return;
  for (int i = 1; i <= 2; ++i) {
    if (!ctx.has_rank(i)) continue;
    for (const DimExpr& d : ctx.shape(i)) {
      if (d.is_constant() && d.constant() != 1) {
        ctx.fail((i == 1 ? "min" : "max") + std::string(" must be a scalar, but is ") + ctx.input(i).to_string());
      }
    }
  }
  if (!ctx.ints(0)) return;
  Dims result = *ctx.ints(0);
  for (int i = 1; i <= 2; ++i) {
    if (!ctx.has_input(i)) continue;
    const Dims* bound = ctx.ints(i);
    if (!bound || bound->size() != 1) return;
    for (DimExpr& x : result) x = i == 1 ? DimExpr::max(x, bound->front()) : DimExpr::min(x, bound->front());
  }
  ctx.set_ints(0, std::move(result));
}

}  // namespace
}  // namespace clip_cc

constinit const Operator Clip = {.name = "Clip", .history = kClip, .infer = infer_clip, .elementwise = true};

void clip_schemas(opset::SchemaTable& table) { table.add(Clip); }

}  // namespace norn::ops
