// ONNX's operators of these names, for types that early operator sets lacked.
#include "ops/microsoft/per_axis_quantize/per_axis_quantize.h"

#include "ops/microsoft/domain.h"
#include "opset/infer_context.h"

namespace norn::ops {
namespace microsoft {
inline namespace per_axis_quantize_cc {
namespace {

using namespace opset;

constexpr Param kQuantizeLinearInputs[] = {
    {.name = "x", .type = "T1"},
    {.name = "y_scale", .type = "T1"},
    {.name = "y_zero_point", .type = "T2", .option = ParamOption::Optional},
};
constexpr Param kQuantizeLinearOutputs[] = {
    {.name = "y", .type = "T2"},
};
constexpr Attr kQuantizeLinearAttrs[] = {
    {.name = "axis", .type = ir::AttributeType::Int},
};
constexpr TypeConstraint kQuantizeLinearTypes[] = {
    {"T1", tensors(elems(DataType::Float, DataType::Float16))},
    {"T2", tensors(elems(DataType::Int16, DataType::Int4, DataType::Int8, DataType::Uint16, DataType::Uint4,
                         DataType::Uint8))},
};
constexpr Param kDequantizeLinearInputs[] = {
    {.name = "x", .type = "T1"},
    {.name = "x_scale", .type = "T2"},
    {.name = "x_zero_point", .type = "T1", .option = ParamOption::Optional},
};
constexpr TypeConstraint kDequantizeLinearTypes[] = {
    {"T1", tensors(elems(DataType::Int16, DataType::Int32, DataType::Int4, DataType::Int8, DataType::Uint16,
                         DataType::Uint4, DataType::Uint8))},
    {"T2", tensors(elems(DataType::Float, DataType::Float16))},
};

constexpr Schema kQuantizeLinear[] = {
    {.since = 1,
     .inputs = kQuantizeLinearInputs,
     .outputs = kQuantizeLinearOutputs,
     .attrs = kQuantizeLinearAttrs,
     .types = kQuantizeLinearTypes},
};

constexpr Schema kDequantizeLinear[] = {
    {.since = 1,
     .inputs = kDequantizeLinearInputs,
     .outputs = kQuantizeLinearOutputs,
     .attrs = kQuantizeLinearAttrs,
     .types = kDequantizeLinearTypes},
};

void infer_of_type(InferContext& ctx, DataType type) {
  if (ctx.has_rank(0))
    ctx.set(0, type, ctx.shape(0));
  else
    ctx.set(0, type);
}
void infer_quantize_by_axis(InferContext& ctx) { infer_of_type(ctx, ctx.has_input(2) ? ctx.elem(2) : DataType::Uint8); }
void infer_dequantize_by_axis(InferContext& ctx) { infer_of_type(ctx, ctx.elem(1)); }

}  // namespace
}  // namespace per_axis_quantize_cc

constinit const Operator QuantizeLinear = {
    .domain = kMicrosoftDomain, .name = "QuantizeLinear", .history = kQuantizeLinear, .infer = infer_quantize_by_axis};
constinit const Operator DequantizeLinear = {.domain = kMicrosoftDomain,
                                             .name = "DequantizeLinear",
                                             .history = kDequantizeLinear,
                                             .infer = infer_dequantize_by_axis};

}  // namespace microsoft

void per_axis_quantize_schemas(opset::SchemaTable& table) {
  table.add(microsoft::QuantizeLinear);
  table.add(microsoft::DequantizeLinear);
}

}  // namespace norn::ops
