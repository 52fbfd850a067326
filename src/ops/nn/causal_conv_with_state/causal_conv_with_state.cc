// Causal depthwise convolution that carries its last inputs. The state holds the k-1 elements before the input and
// comes back updated.
#include "ops/nn/causal_conv_with_state/causal_conv_with_state.h"

namespace norn::ops {
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

}  // namespace

constinit const Operator CausalConvWithState = {.name = "CausalConvWithState", .history = kCausalConvWithState};

void causal_conv_with_state_schemas(SchemaTable& table) { table.add(CausalConvWithState); }

}  // namespace norn::ops
