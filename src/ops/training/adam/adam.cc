// One step of Adam. Inputs and outputs repeat for each tensor: all weights, all gradients, then all states, each list
// in the same order. The step count decides the bias correction.
#include "ops/training/adam/adam.h"

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
    {.name = "alpha", .type = ir::AttributeType::Float, .def = def_float(0.9f)},
    {.name = "beta", .type = ir::AttributeType::Float, .def = def_float(0.999f)},
    {.name = "epsilon", .type = ir::AttributeType::Float, .def = def_float(1e-06f)},
    {.name = "norm_coefficient", .type = ir::AttributeType::Float, .def = def_float(0.0f)},
    {.name = "norm_coefficient_post", .type = ir::AttributeType::Float, .def = def_float(0.0f)},
};
constexpr TypeConstraint kTypes[] = {
    {"T1", kSetT11},
    {"T2", tensors(elems(DataType::Int64))},
    {"T3", kSetT11},
};

constexpr Schema kAdam[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

}  // namespace

constinit const Operator Adam = {.domain = "ai.onnx.preview.training", .name = "Adam", .history = kAdam};

void adam_schemas(SchemaTable& table) { table.add(Adam); }

}  // namespace norn::ops
