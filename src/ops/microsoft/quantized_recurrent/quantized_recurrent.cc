// LSTM with products of integers. X, and at every step the state of a sequence, are rounded to uint8 as
// DynamicQuantizeLinear does: X as a whole, each state by a scale of its own, so that no sequence depends on the state
// of others. Sums of products with the weights are exact; biases, peepholes and activations are float.
//
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
  const auto [layer, sizes] = resolve_quantized_recurrent(ctx);
  const auto or_fresh = [&](const std::optional<DimExpr>& size) { return size ? *size : ctx.fresh_dim(); };
  const DimExpr directions = layer.directions, hidden = or_fresh(sizes.hidden), batch = or_fresh(sizes.batch),
                steps = or_fresh(sizes.steps);
  ctx.set(0, DataType::Float, {steps, directions, batch, hidden});
  for (const int i : {1, 2}) ctx.set(i, DataType::Float, {directions, batch, hidden});
}

}  // namespace
}  // namespace quantized_recurrent_cc

QuantizedRecurrentParams resolve_quantized_recurrent(const NodeView& node) {
  constexpr auto kLayer = RecurrentLayer::Lstm;
  QuantizedRecurrentParams p{resolve_recurrent(node, kLayer), {}};
  p.sizes = resolve_recurrent_sizes(node, kLayer, p.layer, RecurrentStack::Columns);
  for (int i = QuantizedRecurrentInput::WScale; i < QuantizedRecurrentInput::kCount; ++i) {
    require_rank_of(node, i, {1, 2});
    agree(node, i, 0, p.layer.directions, "the node's directions");
    if (p.sizes.hidden) agree(node, i, 1, gates_of(kLayer).gates * *p.sizes.hidden, "the gates times the hidden size");
  }
  return p;
}

constinit const Operator DynamicQuantizeLSTM = {.domain = kMicrosoftDomain,
                                                .name = "DynamicQuantizeLSTM",
                                                .history = kDynamicQuantizeLstm,
                                                .infer = infer_dynamic_quantize_lstm};

}  // namespace microsoft

void quantized_recurrent_schemas(opset::SchemaTable& table) { table.add(microsoft::DynamicQuantizeLSTM); }

}  // namespace norn::ops
