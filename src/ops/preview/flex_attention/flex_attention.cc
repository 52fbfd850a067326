// Attention whose scores graphs change. Experimental. score_mod and prob_mod are graphs of a score tensor.
#include "ops/preview/flex_attention/flex_attention.h"

namespace norn::ops {
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

}  // namespace

constinit const Operator FlexAttention = {
    .domain = "ai.onnx.preview", .name = "FlexAttention", .history = kFlexAttention};

void flex_attention_schemas(SchemaTable& table) { table.add(FlexAttention); }

}  // namespace norn::ops
