// Normalisation of groups of channels. Version 18 took scale and bias by groups and was withdrawn; 21 takes them by
// channels.
#include "ops/nn/group_normalization/group_normalization.h"

namespace norn::ops {
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

}  // namespace

constinit const Operator GroupNormalization = {.name = "GroupNormalization", .history = kGroupNormalization};

void group_normalization_schemas(SchemaTable& table) { table.add(GroupNormalization); }

}  // namespace norn::ops
