// Transposed convolution. W is C x M/group x kernel, input channels first. With output_shape the pads follow from it.
// Version 11 tells anew where auto_pad puts an odd element and what size SAME aims at.
#include "ops/nn/conv_transpose/conv_transpose.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;
constexpr auto kOptional = ParamOption::Optional;

constexpr Param kInputs1[] = {
    {.name = "X", .type = "T"},
    {.name = "W", .type = "T"},
    {.name = "B", .type = "T", .option = kOptional},
};
constexpr Param kInputs11[] = {
    {.name = "X", .type = "T", .diff = kDiff},
    {.name = "W", .type = "T", .diff = kDiff},
    {.name = "B", .type = "T", .option = kOptional, .diff = kDiff},
};
constexpr Param kOutputs1[] = {{.name = "Y", .type = "T"}};
constexpr Param kOutputs11[] = {{.name = "Y", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {
    {.name = "auto_pad", .type = ir::AttributeType::String, .def = def_string("NOTSET")},
    {.name = "dilations", .type = ir::AttributeType::Ints},
    {.name = "group", .type = ir::AttributeType::Int, .def = def_int(1)},
    {.name = "kernel_shape", .type = ir::AttributeType::Ints},
    {.name = "output_padding", .type = ir::AttributeType::Ints},
    {.name = "output_shape", .type = ir::AttributeType::Ints},
    {.name = "pads", .type = ir::AttributeType::Ints},
    {.name = "strides", .type = ir::AttributeType::Ints},
};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes22[] = {{"T", tensors(types::kFloats)}};

constexpr Schema kConvTranspose[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs, .types = kTypes1},
    {.since = 11, .inputs = kInputs11, .outputs = kOutputs11, .attrs = kAttrs, .types = kTypes1},
    {.since = 22, .inputs = kInputs11, .outputs = kOutputs11, .attrs = kAttrs, .types = kTypes22, .same_meaning = true},
};

}  // namespace

constinit const Operator ConvTranspose = {.name = "ConvTranspose", .history = kConvTranspose};

void conv_transpose_schemas(SchemaTable& table) { table.add(ConvTranspose); }

}  // namespace norn::ops
