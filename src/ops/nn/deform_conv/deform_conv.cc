// Convolution whose taps move by offsets that are an input. Offsets come in (height, width) pairs for each kernel
// position and offset group; reading between elements is bilinear, outside the input zero.
#include "ops/nn/deform_conv/deform_conv.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kOptional = ParamOption::Optional;

constexpr Param kInputs[] = {
    {.name = "X", .type = "T"},
    {.name = "W", .type = "T"},
    {.name = "offset", .type = "T"},
    {.name = "B", .type = "T", .option = kOptional},
    {.name = "mask", .type = "T", .option = kOptional},
};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T"}};
constexpr Attr kAttrs[] = {
    {.name = "dilations", .type = ir::AttributeType::Ints},
    {.name = "group", .type = ir::AttributeType::Int, .def = def_int(1)},
    {.name = "kernel_shape", .type = ir::AttributeType::Ints},
    {.name = "offset_group", .type = ir::AttributeType::Int, .def = def_int(1)},
    {.name = "pads", .type = ir::AttributeType::Ints},
    {.name = "strides", .type = ir::AttributeType::Ints},
};
constexpr TypeConstraint kTypes19[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes22[] = {{"T", tensors(types::kFloats)}};

constexpr Schema kDeformConv[] = {
    {.since = 19, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes19},
    {.since = 22, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes22, .same_meaning = true},
};

}  // namespace

constinit const Operator DeformConv = {.name = "DeformConv", .history = kDeformConv};

void deform_conv_schemas(SchemaTable& table) { table.add(DeformConv); }

}  // namespace norn::ops
