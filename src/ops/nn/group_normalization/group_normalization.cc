// Normalisation of groups of channels. Version 18 took scale and bias by groups and was withdrawn; 21 takes them by
// channels.
#include "ops/nn/group_normalization/group_normalization.h"

#include <string>

#include "ops/common/agree.h"
#include "ops/nn/layer_normalization/layer_normalization.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace group_normalization_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Attr kEpsilon = {.name = "epsilon", .type = ir::AttributeType::Float, .def = def_float(1e-05f)};
constexpr Attr kNumGroups = {.name = "num_groups", .type = ir::AttributeType::Int, .required = true};
constexpr Param kInputs[] = {
    {.name = "X", .type = "T", .diff = kDiff},
    {.name = "scale", .type = "T", .diff = kDiff},
    {.name = "bias", .type = "T", .diff = kDiff},
};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs18[] = {kEpsilon, kNumGroups};
constexpr Attr kAttrs21[] = {
    kEpsilon,
    kNumGroups,
    {.name = "stash_type", .type = ir::AttributeType::Int, .def = def_int(1)},
};
constexpr TypeConstraint kTypes[] = {{"T", tensors(types::kFloats)}};

constexpr Schema kGroupNormalization[] = {
    {.since = 18, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs18, .types = kTypes, .deprecated = true},
    {.since = 21, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs21, .types = kTypes},
};

void infer_group_normalization(InferContext& ctx) {
  const std::int64_t groups = resolve_group_norm(ctx).groups;
  if (ctx.has_rank(0) && ctx.rank(0) < 2)
    ctx.fail("X has rank " + std::to_string(ctx.rank(0)) + ", but needs a batch and a channel axis");
  const bool by_group = ctx.version() < 21;
  for (const int i : {1, 2}) {
    ctx.require_rank(i, 1);
    if (by_group) agree(ctx, i, 0, groups, "num_groups");
  }
  auto channels = size_of(ctx, 0, 1);
  for (const int i : {1, 2})
    if (!by_group) channels = channels ? agree(ctx, i, 0, *channels, "axis 1 of X") : size_of(ctx, i, 0);
  if (channels && channels->is_constant() && channels->constant() % groups != 0)
    ctx.fail(
        "X has " + channels->to_string() + " channels, which num_groups " + std::to_string(groups) + " does not divide",
        "all groups have as many channels: give a num_groups that divides them");
  ctx.set(0, ctx.input(0));
}

}  // namespace
}  // namespace group_normalization_cc

GroupNormParams resolve_group_norm(const NodeView& node) {
  GroupNormParams p{.groups = node.attrs().i("num_groups"), .stash = {}};
  if (p.groups <= 0) node.fail("num_groups is " + std::to_string(p.groups) + ", but has to be positive");
  if (node.version() >= 21) p.stash = resolve_stash_type(node);
  return p;
}

constinit const Operator GroupNormalization = {
    .name = "GroupNormalization", .history = kGroupNormalization, .infer = infer_group_normalization};

void group_normalization_schemas(SchemaTable& table) { table.add(GroupNormalization); }

}  // namespace norn::ops
