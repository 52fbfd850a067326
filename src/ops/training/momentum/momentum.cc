// One step of gradient descent with momentum. Inputs and outputs repeat for each tensor: all weights, all gradients,
// then all states, each list in the same order. Mode is standard or nesterov.
#include "ops/training/momentum/momentum.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kVariadic = ParamOption::Variadic;

constexpr TypeSet kSetT11 = tensors(elems(DataType::Double, DataType::Float));
constexpr Param kInputs[] = {
    {.name = "R", .type = "T1"},
    {.name = "T", .type = "T2"},
    {.name = "inputs", .type = "T3", .option = kVariadic, .homogeneous = false},
};
constexpr Param kOutputs[] = {{.name = "outputs", .type = "T3", .option = kVariadic, .homogeneous = false}};
constexpr Attr kAttrs[] = {
    {.name = "alpha", .type = ir::AttributeType::Float, .required = true},
    {.name = "beta", .type = ir::AttributeType::Float, .required = true},
    {.name = "mode", .type = ir::AttributeType::String, .required = true},
    {.name = "norm_coefficient", .type = ir::AttributeType::Float, .required = true},
};
constexpr TypeConstraint kTypes[] = {
    {"T1", kSetT11},
    {"T2", tensors(elems(DataType::Int64))},
    {"T3", kSetT11},
};

constexpr Schema kMomentum[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

}  // namespace

constinit const Operator Momentum = {.domain = "ai.onnx.preview.training", .name = "Momentum", .history = kMomentum};

void momentum_schemas(SchemaTable& table) { table.add(Momentum); }

}  // namespace norn::ops
