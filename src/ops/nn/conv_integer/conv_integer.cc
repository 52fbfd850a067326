// Convolution of 8-bit integers into 32 bits. Zero points are subtracted first, so that padding stands for the zero
// point.
#include "ops/nn/conv_integer/conv_integer.h"

#include "ops/common/shapes.h"
#include "ops/nn/conv/conv.h"

namespace norn::ops {
inline namespace conv_integer_cc {
namespace {

using namespace opset;

constexpr auto kOptional = ParamOption::Optional;

constexpr TypeSet kSetT110 = tensors(elems(DataType::Int8, DataType::Uint8));
constexpr Param kInputs[] = {
    {.name = "x", .type = "T1"},
    {.name = "w", .type = "T2"},
    {.name = "x_zero_point", .type = "T1", .option = kOptional},
    {.name = "w_zero_point", .type = "T2", .option = kOptional},
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
    {"T3", tensors(elems(DataType::Int32))},
};

constexpr Schema kConvInteger[] = {
    {.since = 10, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

void infer_conv_integer(InferContext& ctx) {
  require_single(ctx, 2);
  infer_per_filter(ctx, 3, 1);
  infer_conv(ctx, 0, 1, ctx.input_count(), DataType::Int32);
}

}  // namespace
}  // namespace conv_integer_cc

void infer_per_filter(InferContext& ctx, int input, int w) {
  if (!ctx.has_rank(input) || ctx.rank(input) == 0) return;
  ctx.require_rank(input, 1);
  const DimExpr& size = ctx.shape(input)[0];
  if (DimExpr::differ(size, 1) && ctx.has_rank(w) && ctx.rank(w) > 0)
    ctx.unify(ctx.shape(w)[0], size, "filters and their scales or zero points");
}

constinit const Operator ConvInteger = {.name = "ConvInteger", .history = kConvInteger, .infer = infer_conv_integer};

void conv_integer_schemas(SchemaTable& table) { table.add(ConvInteger); }

}  // namespace norn::ops
