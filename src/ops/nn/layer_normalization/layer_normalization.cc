// Normalisation over the last axes. Mean and inverse deviation are further outputs, in stash_type, with ones for the
// axes that were normalised.
#include "ops/nn/layer_normalization/layer_normalization.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kOptional = ParamOption::Optional;

constexpr Param kInputs[] = {
    {.name = "X", .type = "T"},
    {.name = "Scale", .type = "T"},
    {.name = "B", .type = "T", .option = kOptional},
};
constexpr Param kOutputs[] = {
    {.name = "Y", .type = "T"},
    {.name = "Mean", .type = "U", .option = kOptional},
    {.name = "InvStdDev", .type = "U", .option = kOptional},
};
constexpr Attr kAttrs[] = {
    {.name = "axis", .type = ir::AttributeType::Int, .def = def_int(-1)},
    {.name = "epsilon", .type = ir::AttributeType::Float, .def = def_float(1e-05f)},
    {.name = "stash_type", .type = ir::AttributeType::Int, .def = def_int(1)},
};
constexpr TypeConstraint kTypes[] = {
    {"T", tensors(types::kFloats)},
    {"U", tensors(elems(DataType::BFloat16, DataType::Float))},
};

constexpr Schema kLayerNormalization[] = {
    {.since = 17, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

}  // namespace

constinit const Operator LayerNormalization = {.name = "LayerNormalization", .history = kLayerNormalization};

void layer_normalization_schemas(SchemaTable& table) { table.add(LayerNormalization); }

}  // namespace norn::ops
