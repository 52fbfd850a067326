// Gelu and its approximations, some of them of a sum with a bias.
#include "ops/microsoft/gelu_variants/gelu_variants.h"

#include "ops/microsoft/domain.h"

namespace norn::ops {
namespace microsoft {
namespace {

using namespace opset;

constexpr Param kBiasGeluInputs[] = {
    {.name = "A", .type = "T"},
    {.name = "B", .type = "T"},
};
constexpr Param kBiasGeluOutputs[] = {
    {.name = "C", .type = "T"},
};
constexpr TypeConstraint kBiasGeluTypes[] = {
    {"T", tensors(types::kFloats)},
};
constexpr Param kFastGeluInputs[] = {
    {.name = "X", .type = "T"},
    {.name = "bias", .type = "T", .option = ParamOption::Optional},
};
constexpr Param kFastGeluOutputs[] = {
    {.name = "Y", .type = "T"},
};
constexpr Param kGeluInputs[] = {
    {.name = "X", .type = "T"},
};
constexpr Attr kQuickGeluAttrs[] = {
    {.name = "alpha", .type = ir::AttributeType::Float, .def = def_float(1.702f)},
};

constexpr Schema kBiasGelu[] = {
    {.since = 1, .inputs = kBiasGeluInputs, .outputs = kBiasGeluOutputs, .types = kBiasGeluTypes},
};

constexpr Schema kFastGelu[] = {
    {.since = 1, .inputs = kFastGeluInputs, .outputs = kFastGeluOutputs, .types = kBiasGeluTypes},
};

constexpr Schema kGelu[] = {
    {.since = 1, .inputs = kGeluInputs, .outputs = kFastGeluOutputs, .types = kBiasGeluTypes},
};

constexpr Schema kQuickGelu[] = {
    {.since = 1, .inputs = kGeluInputs, .outputs = kFastGeluOutputs, .attrs = kQuickGeluAttrs, .types = kBiasGeluTypes},
};

}  // namespace

constinit const Operator BiasGelu = {.domain = kMicrosoftDomain, .name = "BiasGelu", .history = kBiasGelu};
constinit const Operator FastGelu = {.domain = kMicrosoftDomain, .name = "FastGelu", .history = kFastGelu};
constinit const Operator Gelu = {.domain = kMicrosoftDomain, .name = "Gelu", .history = kGelu};
constinit const Operator QuickGelu = {.domain = kMicrosoftDomain, .name = "QuickGelu", .history = kQuickGelu};

}  // namespace microsoft

void gelu_variants_schemas(opset::SchemaTable& table) {
  table.add(microsoft::BiasGelu);
  table.add(microsoft::FastGelu);
  table.add(microsoft::Gelu);
  table.add(microsoft::QuickGelu);
}

}  // namespace norn::ops
