// The matrices lie as [directions, inputs, 4 * hidden_size], the transpose of LSTM's, with scales and zero points for
// each direction, or for each of its columns.
#include "ops/microsoft/quantized_recurrent/quantized_recurrent.h"

#include "ops/common/agree.h"
#include "ops/microsoft/domain.h"
#include "opset/infer_context.h"

namespace norn::ops {
namespace microsoft {
inline namespace quantized_recurrent_cc {
namespace {

using namespace opset;

constexpr Param kInputs[] = {
    {.name = "X", .type = "T"},
    {.name = "W", .type = "T2"},
    {.name = "R", .type = "T2"},
    {.name = "B", .type = "T", .option = ParamOption::Optional},
    {.name = "sequence_lens", .type = "T1", .option = ParamOption::Optional},
    {.name = "initial_h", .type = "T", .option = ParamOption::Optional},
    {.name = "initial_c", .type = "T", .option = ParamOption::Optional},
    {.name = "P", .type = "T", .option = ParamOption::Optional},
    {.name = "W_scale", .type = "T"},
    {.name = "W_zero_point", .type = "T2"},
    {.name = "R_scale", .type = "T"},
    {.name = "R_zero_point", .type = "T2"},
};
constexpr Param kOutputs[] = {
    {.name = "Y", .type = "T", .option = ParamOption::Optional},
    {.name = "Y_h", .type = "T", .option = ParamOption::Optional},
    {.name = "Y_c", .type = "T", .option = ParamOption::Optional},
};
constexpr Attr kAttrs[] = {
    {"activation_alpha", ir::AttributeType::Floats},
    {"activation_beta", ir::AttributeType::Floats},
    {"activations", ir::AttributeType::Strings},
    {"clip", ir::AttributeType::Float},
    {"direction", ir::AttributeType::String, false, def_string("forward")},
    {"hidden_size", ir::AttributeType::Int},
    {"input_forget", ir::AttributeType::Int, false, def_int(0)},
};
constexpr TypeConstraint kTypes[] = {
    {"T", tensors(elems(DataType::Float))},
    {"T1", tensors(elems(DataType::Int32))},
    {"T2", tensors(elems(DataType::Uint8, DataType::Int8))},
};
constexpr Schema kDynamicQuantizeLstm[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

void infer_dynamic_quantize_lstm(InferContext& ctx) {
  for (const int i : {0, 1, 2}) ctx.require_rank(i, 3);
  const auto size = [&](int i, int axis) {
    const auto known = size_of(ctx, i, axis);
    return known ? *known : ctx.fresh_dim();
  };
  const auto given = ctx.attrs().find_i("hidden_size");
  const DimExpr steps = size(0, 0), batch = size(0, 1), hidden = given ? DimExpr(*given) : size(2, 1);
  const DimExpr directions = ctx.attrs().s("direction") == "bidirectional" ? 2 : 1;
  ctx.set(0, DataType::Float, {steps, directions, batch, hidden});
  for (const int i : {1, 2}) ctx.set(i, DataType::Float, {directions, batch, hidden});
}

}  // namespace
}  // namespace quantized_recurrent_cc

constinit const Operator DynamicQuantizeLSTM = {.domain = kMicrosoftDomain,
                                                .name = "DynamicQuantizeLSTM",
                                                .history = kDynamicQuantizeLstm,
                                                .infer = infer_dynamic_quantize_lstm};

}  // namespace microsoft

void quantized_recurrent_schemas(opset::SchemaTable& table) { table.add(microsoft::DynamicQuantizeLSTM); }

}  // namespace norn::ops
