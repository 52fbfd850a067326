// One step of Adagrad. Inputs and outputs repeat for each tensor: all weights, all gradients, then all states, each
// list in the same order.
#include "ops/training/adagrad/adagrad.h"

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
    {.name = "decay_factor", .type = ir::AttributeType::Float, .def = def_float(0.0f)},
    {.name = "epsilon", .type = ir::AttributeType::Float, .def = def_float(1e-06f)},
    {.name = "norm_coefficient", .type = ir::AttributeType::Float, .def = def_float(0.0f)},
};
constexpr TypeConstraint kTypes[] = {
    {"T1", kSetT11},
    {"T2", tensors(elems(DataType::Int64))},
    {"T3", kSetT11},
};

constexpr Schema kAdagrad[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

}  // namespace

constinit const Operator Adagrad = {.domain = "ai.onnx.preview.training", .name = "Adagrad", .history = kAdagrad};

void adagrad_schemas(SchemaTable& table) { table.add(Adagrad); }

}  // namespace norn::ops
