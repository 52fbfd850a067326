// Attention whose scores graphs change. Experimental. score_mod and prob_mod are graphs of a score tensor.
#include "ops/preview/flex_attention/flex_attention.h"

#include <string>

#include "ops/common/agree.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace flex_attention_cc {
namespace {

using namespace opset;

constexpr Param kInputs[] = {
    {.name = "Q", .type = "T1"},
    {.name = "K", .type = "T1"},
    {.name = "V", .type = "T1"},
};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T1"}};
constexpr Attr kAttrs[] = {
    {.name = "prob_mod", .type = ir::AttributeType::Graph},
    {.name = "scale", .type = ir::AttributeType::Float},
    {.name = "score_mod", .type = ir::AttributeType::Graph},
    {.name = "softmax_precision", .type = ir::AttributeType::Int},
};
constexpr TypeConstraint kTypes[] = {{"T1", tensors(types::kFloats)}};

constexpr Schema kFlexAttention[] = {
    {.since = 1,
     .inputs = kInputs,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes,
     .support = Support::Experimental},
};

void infer_flex_attention(InferContext& ctx) {
  for (const int i : {0, 1, 2}) ctx.require_rank(i, 4);
  auto batch = agree(ctx, 0, 0, 1, 0);
  batch = batch ? agree(ctx, 2, 0, *batch, "axis 0 of Q and K") : size_of(ctx, 2, 0);
  agree(ctx, 0, 3, 1, 3);
  agree(ctx, 1, 2, 2, 2);
  const auto heads = size_of(ctx, 0, 1), shared = agree(ctx, 1, 1, 2, 1);
  if (heads && shared && heads->is_constant() && shared->is_constant() &&
      (shared->constant() < 1 || heads->constant() % shared->constant() != 0))
    ctx.fail("the query's " + heads->to_string() + " heads are not a multiple of the key's " + shared->to_string());
  const auto or_fresh = [&](const std::optional<DimExpr>& size) { return size ? *size : ctx.fresh_dim(); };
  ctx.set(0, ctx.elem(0),
          {or_fresh(batch), or_fresh(heads), or_fresh(size_of(ctx, 0, 2)), or_fresh(size_of(ctx, 2, 3))});
}

}  // namespace
}  // namespace flex_attention_cc

constinit const Operator FlexAttention = {
    .domain = "ai.onnx.preview", .name = "FlexAttention", .history = kFlexAttention, .infer = infer_flex_attention};

void flex_attention_schemas(SchemaTable& table) { table.add(FlexAttention); }

}  // namespace norn::ops
