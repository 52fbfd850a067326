// Gelu and its approximations, some of them of a sum with a bias.
#include "ops/microsoft/gelu_variants/gelu_variants.h"

#include <string>

#include "ops/common/agree.h"
#include "ops/common/shapes.h"
#include "ops/microsoft/domain.h"

namespace norn::ops {
namespace microsoft {
inline namespace gelu_variants_cc {
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

// The bias has an element for each of the last axis.
void infer_with_bias(InferContext& ctx) {
  if (!ctx.has_input(1)) return same_as_input(ctx);
  if (ctx.has_rank(0) && ctx.rank(0) == 0)
    ctx.fail("input 0 \"" + std::string(ctx.schema().inputs[0].name) +
             "\" is a scalar, which has no axis for the bias");
  require_list(ctx, 1, 0, -1);
  same_as_input(ctx);
}

}  // namespace
}  // namespace gelu_variants_cc

constinit const Operator BiasGelu = {
    .domain = kMicrosoftDomain, .name = "BiasGelu", .history = kBiasGelu, .infer = infer_with_bias};
constinit const Operator FastGelu = {
    .domain = kMicrosoftDomain, .name = "FastGelu", .history = kFastGelu, .infer = infer_with_bias};
constinit const Operator Gelu = {.domain = kMicrosoftDomain, .name = "Gelu", .history = kGelu, .infer = same_as_input};
constinit const Operator QuickGelu = {
    .domain = kMicrosoftDomain, .name = "QuickGelu", .history = kQuickGelu, .infer = same_as_input};

}  // namespace microsoft

void gelu_variants_schemas(opset::SchemaTable& table) {
  table.add(microsoft::BiasGelu);
  table.add(microsoft::FastGelu);
  table.add(microsoft::Gelu);
  table.add(microsoft::QuickGelu);
}

}  // namespace norn::ops
