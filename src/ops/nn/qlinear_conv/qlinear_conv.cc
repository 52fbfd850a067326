// Convolution of quantized tensors. The bias is int32, already scaled by x_scale * w_scale. The weights' scale may go
// by output channels.
#include "ops/nn/qlinear_conv/qlinear_conv.h"

#include "ops/common/shapes.h"
#include "ops/nn/conv/conv.h"
#include "ops/nn/conv_integer/conv_integer.h"
#include "ops/quantization/quantize/quantize.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace qlinear_conv_cc {
namespace {

using namespace opset;

constexpr TypeSet kSetT110 = tensors(elems(DataType::Int8, DataType::Uint8));
constexpr Param kInputs[] = {
    {.name = "x", .type = "T1"},
    {.name = "x_scale", .type = "tensor(float)"},
    {.name = "x_zero_point", .type = "T1"},
    {.name = "w", .type = "T2"},
    {.name = "w_scale", .type = "tensor(float)"},
    {.name = "w_zero_point", .type = "T2"},
    {.name = "y_scale", .type = "tensor(float)"},
    {.name = "y_zero_point", .type = "T3"},
    {.name = "B", .type = "T4", .option = ParamOption::Optional},
};
constexpr Param kOutputs[] = {{.name = "y", .type = "T3"}};
constexpr Attr kAttrs[] = {
    {.name = "auto_pad", .type = ir::AttributeType::String, .def = def_string("NOTSET")},
    {.name = "dilations", .type = ir::AttributeType::Ints},
    {.name = "group", .type = ir::AttributeType::Int, .def = def_int(1)},
    {.name = "kernel_shape", .type = ir::AttributeType::Ints},
    {.name = "pads", .type = ir::AttributeType::Ints},
    {.name = "strides", .type = ir::AttributeType::Ints},
};
constexpr TypeConstraint kTypes[] = {
    {"T1", kSetT110},
    {"T2", kSetT110},
    {"T3", kSetT110},
    {"T4", tensors(elems(DataType::Int32))},
};

constexpr Schema kQLinearConv[] = {
    {.since = 10, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

void infer_qlinear_conv(InferContext& ctx) {
  for (const int i : {1, 2, 6, 7}) require_single(ctx, i);
  for (const int i : {4, 5}) infer_per_filter(ctx, i, 3);
  require_shape_of_scale(ctx, 4, 5);
  infer_conv(ctx, 0, 3, 8, ctx.elem(7));
}

}  // namespace
}  // namespace qlinear_conv_cc

constinit const Operator QLinearConv = {.name = "QLinearConv", .history = kQLinearConv, .infer = infer_qlinear_conv};

void qlinear_conv_schemas(SchemaTable& table) { table.add(QLinearConv); }

}  // namespace norn::ops
