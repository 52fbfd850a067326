// Causal depthwise convolution that carries its last inputs. The state holds the k-1 elements before the input and
// comes back updated.
#include "ops/nn/causal_conv_with_state/causal_conv_with_state.h"

#include <optional>
#include <utility>

#include "norn/error.h"
#include "ops/common/agree.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace causal_conv_with_state_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;
constexpr auto kNonDiff = Differentiability::NonDifferentiable;
constexpr auto kOptional = ParamOption::Optional;

constexpr Param kInputs[] = {
    {.name = "input", .type = "T", .diff = kDiff},
    {.name = "weight", .type = "T", .diff = kDiff},
    {.name = "bias", .type = "T", .option = kOptional, .diff = kDiff},
    {.name = "past_state", .type = "T", .option = kOptional, .diff = kNonDiff},
};
constexpr Param kOutputs[] = {
    {.name = "output", .type = "T", .diff = kDiff},
    {.name = "present_state", .type = "T", .diff = kNonDiff},
};
constexpr Attr kAttrs[] = {{.name = "activation", .type = ir::AttributeType::String, .def = def_string("none")}};
constexpr TypeConstraint kTypes[] = {{"T", tensors(elems(DataType::BFloat16, DataType::Float, DataType::Float16))}};

constexpr Schema kCausalConvWithState[] = {
    {.since = 27,
     .inputs = kInputs,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes,
     .determinism = Determinism::Unknown},
};

void infer_causal_conv(InferContext& ctx) {
  resolve_silu(ctx.attrs());
  ctx.require_rank(0, 3);
  ctx.require_rank(1, 3);
  if (ctx.has_input(2)) ctx.require_rank(2, 1);
  if (ctx.has_input(3)) ctx.require_rank(3, 3);
  agree(ctx, 1, 1, 1, "one channel of each group");
  std::optional<DimExpr> channels = agree(ctx, 0, 1, 1, 0);
  for (const auto& [input, axis] : {std::pair(2, 0), std::pair(3, 1)})
    channels =
        channels ? agree(ctx, input, axis, *channels, "the channels of input and weight") : size_of(ctx, input, axis);
  const auto batch = agree(ctx, 0, 0, 3, 0);
  std::optional<DimExpr> width = size_of(ctx, 3, 2);
  if (const auto taps = size_of(ctx, 1, 2)) {
    if (taps->is_constant() && taps->constant() < 1) ctx.fail("the kernel of weight has no elements");
    width = agree(ctx, 3, 2, *taps - 1, "axis 2 of weight less one");
  }
  ctx.set(0, ctx.input(0));
  const auto or_fresh = [&](const std::optional<DimExpr>& size) { return size ? *size : ctx.fresh_dim(); };
  ctx.set(1, ctx.elem(0), {or_fresh(batch), or_fresh(channels), or_fresh(width)});
}

}  // namespace
}  // namespace causal_conv_with_state_cc

bool resolve_silu(const opset::Attrs& attrs) {
  const std::string activation = attrs.s("activation");
  if (activation == "none") return false;
  if (activation != "silu" && activation != "swish")
    throw Error(ErrorCode::InvalidGraph, "activation is \"" + activation + "\", but has to be none, silu or swish");
  return true;
}

constinit const Operator CausalConvWithState = {
    .name = "CausalConvWithState", .history = kCausalConvWithState, .infer = infer_causal_conv};

void causal_conv_with_state_schemas(SchemaTable& table) { table.add(CausalConvWithState); }

}  // namespace norn::ops
