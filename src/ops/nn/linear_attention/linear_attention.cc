// Attention with a recurrent state instead of a matrix of scores. update_rule chooses the recurrence; decay and beta
// are inputs that some rules need.
#include "ops/nn/linear_attention/linear_attention.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;
constexpr auto kNonDiff = Differentiability::NonDifferentiable;
constexpr auto kOptional = ParamOption::Optional;

constexpr TypeSet kSetT27 = tensors(elems(DataType::BFloat16, DataType::Float, DataType::Float16));
constexpr Param kInputs[] = {
    {.name = "query", .type = "T", .diff = kDiff},
    {.name = "key", .type = "T", .diff = kDiff},
    {.name = "value", .type = "T", .diff = kDiff},
    {.name = "past_state", .type = "S", .option = kOptional, .diff = kNonDiff},
    {.name = "decay", .type = "T", .option = kOptional, .diff = kDiff},
    {.name = "beta", .type = "T", .option = kOptional, .diff = kDiff},
};
constexpr Param kOutputs[] = {
    {.name = "output", .type = "T", .diff = kDiff},
    {.name = "present_state", .type = "S", .diff = kNonDiff},
};
constexpr Attr kAttrs[] = {
    {.name = "chunk_size", .type = ir::AttributeType::Int, .def = def_int(64)},
    {.name = "kv_num_heads", .type = ir::AttributeType::Int, .required = true},
    {.name = "q_num_heads", .type = ir::AttributeType::Int, .required = true},
    {.name = "scale", .type = ir::AttributeType::Float, .def = def_float(0.0f)},
    {.name = "update_rule", .type = ir::AttributeType::String, .def = def_string("gated_delta")},
};
constexpr TypeConstraint kTypes[] = {{"T", kSetT27}, {"S", kSetT27}};

constexpr Schema kLinearAttention[] = {
    {.since = 27,
     .inputs = kInputs,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes,
     .determinism = Determinism::Unknown},
};

}  // namespace

constinit const Operator LinearAttention = {.name = "LinearAttention", .history = kLinearAttention};

void linear_attention_schemas(SchemaTable& table) { table.add(LinearAttention); }

}  // namespace norn::ops
