// Attention as ONNX Runtime fuses it: with the projection of its inputs, masks of many shapes, caches of keys and
// values, and rotary positions.
#include "ops/microsoft/fused_attention/fused_attention.h"

#include "ops/microsoft/domain.h"

namespace norn::ops {
namespace microsoft {
namespace {

using namespace opset;

constexpr Param kAttentionInputs[] = {
    {.name = "input", .type = "T"},
    {.name = "weights", .type = "T"},
    {.name = "bias", .type = "T", .option = ParamOption::Optional},
    {.name = "mask_index", .type = "M", .option = ParamOption::Optional},
    {.name = "past", .type = "T", .option = ParamOption::Optional},
    {.name = "attention_bias", .type = "T", .option = ParamOption::Optional},
    {.name = "past_sequence_length", .type = "M", .option = ParamOption::Optional},
};
constexpr Param kAttentionOutputs[] = {
    {.name = "output", .type = "T"},
    {.name = "present", .type = "T", .option = ParamOption::Optional},
};
constexpr Attr kAttentionAttrs[] = {
    {.name = "do_rotary", .type = ir::AttributeType::Int},
    {.name = "mask_filter_value", .type = ir::AttributeType::Float},
    {.name = "num_heads", .type = ir::AttributeType::Int, .required = true},
    {.name = "past_present_share_buffer", .type = ir::AttributeType::Int},
    {.name = "qkv_hidden_sizes", .type = ir::AttributeType::Ints},
    {.name = "rotary_embedding_dim", .type = ir::AttributeType::Int},
    {.name = "scale", .type = ir::AttributeType::Float},
    {.name = "unidirectional", .type = ir::AttributeType::Int, .def = def_int(0)},
};
constexpr TypeConstraint kAttentionTypes[] = {
    {"T", tensors(elems(DataType::BFloat16, DataType::Float, DataType::Float16))},
    {"M", tensors(elems(DataType::Int32))},
};
constexpr Param kQAttentionInputs[] = {
    {.name = "input", .type = "T1"},
    {.name = "weight", .type = "T2"},
    {.name = "bias", .type = "T3"},
    {.name = "input_scale", .type = "T3"},
    {.name = "weight_scale", .type = "T3"},
    {.name = "mask_index", .type = "T4", .option = ParamOption::Optional},
    {.name = "input_zero_point", .type = "T1", .option = ParamOption::Optional},
    {.name = "weight_zero_point", .type = "T2", .option = ParamOption::Optional},
    {.name = "past", .type = "T3", .option = ParamOption::Optional},
};
constexpr Param kQAttentionOutputs[] = {
    {.name = "output", .type = "T3"},
    {.name = "present", .type = "T3", .option = ParamOption::Optional},
};
constexpr Attr kQAttentionAttrs[] = {
    {.name = "do_rotary", .type = ir::AttributeType::Int},
    {.name = "mask_filter_value", .type = ir::AttributeType::Float},
    {.name = "num_heads", .type = ir::AttributeType::Int, .required = true},
    {.name = "past_present_share_buffer", .type = ir::AttributeType::Int},
    {.name = "scale", .type = ir::AttributeType::Float},
    {.name = "unidirectional", .type = ir::AttributeType::Int, .def = def_int(0)},
};
constexpr TypeConstraint kQAttentionTypes[] = {
    {"T1", tensors(elems(DataType::Int8, DataType::Uint8))},
    {"T2", tensors(elems(DataType::Int8, DataType::Uint8))},
    {"T3", tensors(elems(DataType::Float, DataType::Float16))},
    {"T4", tensors(elems(DataType::Int32))},
};
constexpr Param kMultiHeadAttentionInputs[] = {
    {.name = "query", .type = "T"},
    {.name = "key", .type = "T", .option = ParamOption::Optional},
    {.name = "value", .type = "T", .option = ParamOption::Optional},
    {.name = "bias", .type = "T", .option = ParamOption::Optional},
    {.name = "key_padding_mask", .type = "M", .option = ParamOption::Optional},
    {.name = "attention_bias", .type = "T", .option = ParamOption::Optional},
    {.name = "past_key", .type = "T", .option = ParamOption::Optional},
    {.name = "past_value", .type = "T", .option = ParamOption::Optional},
    {.name = "past_sequence_length", .type = "M", .option = ParamOption::Optional},
    {.name = "cache_indirection", .type = "M", .option = ParamOption::Optional},
};
constexpr Param kMultiHeadAttentionOutputs[] = {
    {.name = "output", .type = "T"},
    {.name = "present_key", .type = "T", .option = ParamOption::Optional},
    {.name = "present_value", .type = "T", .option = ParamOption::Optional},
    {.name = "qk", .type = "QK", .option = ParamOption::Optional},
};
constexpr Attr kMultiHeadAttentionAttrs[] = {
    {.name = "mask_filter_value", .type = ir::AttributeType::Float},
    {.name = "num_heads", .type = ir::AttributeType::Int, .required = true},
    {.name = "scale", .type = ir::AttributeType::Float},
    {.name = "unidirectional", .type = ir::AttributeType::Int, .def = def_int(0)},
};
constexpr TypeConstraint kMultiHeadAttentionTypes[] = {
    {"T", tensors(elems(DataType::BFloat16, DataType::Float, DataType::Float16))},
    {"QK", tensors(elems(DataType::BFloat16, DataType::Float, DataType::Float16))},
    {"M", tensors(elems(DataType::Int32))},
};
constexpr Param kGroupQueryAttentionInputs[] = {
    {.name = "query", .type = "T"},
    {.name = "key", .type = "T", .option = ParamOption::Optional},
    {.name = "value", .type = "T", .option = ParamOption::Optional},
    {.name = "past_key", .type = "T_CACHE", .option = ParamOption::Optional},
    {.name = "past_value", .type = "T_CACHE", .option = ParamOption::Optional},
    {.name = "seqlens_k", .type = "M"},
    {.name = "total_sequence_length", .type = "M"},
    {.name = "cos_cache", .type = "T", .option = ParamOption::Optional},
    {.name = "sin_cache", .type = "T", .option = ParamOption::Optional},
    {.name = "position_ids", .type = "tensor(int64)", .option = ParamOption::Optional},
    {.name = "attention_bias", .type = "T", .option = ParamOption::Optional},
    {.name = "head_sink", .type = "T", .option = ParamOption::Optional},
    {.name = "k_scale", .type = "T_KV_SCALE", .option = ParamOption::Optional},
    {.name = "v_scale", .type = "T_KV_SCALE", .option = ParamOption::Optional},
    {.name = "q_norm_weight", .type = "T", .option = ParamOption::Optional},
    {.name = "k_norm_weight", .type = "T", .option = ParamOption::Optional},
};
constexpr Param kGroupQueryAttentionOutputs[] = {
    {.name = "output", .type = "T"},
    {.name = "present_key", .type = "T_CACHE", .option = ParamOption::Optional},
    {.name = "present_value", .type = "T_CACHE", .option = ParamOption::Optional},
    {.name = "output_qk", .type = "T", .option = ParamOption::Optional},
};
constexpr Attr kGroupQueryAttentionAttrs[] = {
    {.name = "causal", .type = ir::AttributeType::Int, .def = def_int(1)},
    {.name = "do_rotary", .type = ir::AttributeType::Int},
    {.name = "k_quant_type", .type = ir::AttributeType::String, .def = def_string("NONE")},
    {.name = "kv_cache_bit_width", .type = ir::AttributeType::Int},
    {.name = "kv_num_heads", .type = ir::AttributeType::Int, .required = true},
    {.name = "local_window_size", .type = ir::AttributeType::Int, .def = def_int(-1)},
    {.name = "num_heads", .type = ir::AttributeType::Int, .required = true},
    {.name = "qk_norm_epsilon", .type = ir::AttributeType::Float, .def = def_float(1e-06f)},
    {.name = "qk_output", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "rotary_interleaved", .type = ir::AttributeType::Int},
    {.name = "scale", .type = ir::AttributeType::Float},
    {.name = "sliding_window_cache", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "smooth_softmax", .type = ir::AttributeType::Int, .def = def_int(-1)},
    {.name = "softcap", .type = ir::AttributeType::Float},
    {.name = "v_quant_type", .type = ir::AttributeType::String, .def = def_string("NONE")},
};
constexpr TypeConstraint kGroupQueryAttentionTypes[] = {
    {"T", tensors(elems(DataType::BFloat16, DataType::Float, DataType::Float16))},
    {"T_CACHE", tensors(elems(DataType::BFloat16, DataType::Float, DataType::Float16, DataType::Float8E4M3FN,
                              DataType::Int8, DataType::Uint8))},
    {"T_KV_SCALE", tensors(elems(DataType::Float))},
    {"M", tensors(elems(DataType::Int32))},
};

constexpr Schema kAttention[] = {
    {.since = 1,
     .inputs = kAttentionInputs,
     .outputs = kAttentionOutputs,
     .attrs = kAttentionAttrs,
     .types = kAttentionTypes},
};

constexpr Schema kQAttention[] = {
    {.since = 1,
     .inputs = kQAttentionInputs,
     .outputs = kQAttentionOutputs,
     .attrs = kQAttentionAttrs,
     .types = kQAttentionTypes},
};

constexpr Schema kMultiHeadAttention[] = {
    {.since = 1,
     .inputs = kMultiHeadAttentionInputs,
     .outputs = kMultiHeadAttentionOutputs,
     .attrs = kMultiHeadAttentionAttrs,
     .types = kMultiHeadAttentionTypes},
};

constexpr Schema kGroupQueryAttention[] = {
    {.since = 1,
     .inputs = kGroupQueryAttentionInputs,
     .outputs = kGroupQueryAttentionOutputs,
     .attrs = kGroupQueryAttentionAttrs,
     .types = kGroupQueryAttentionTypes},
};

}  // namespace

constinit const Operator Attention = {.domain = kMicrosoftDomain, .name = "Attention", .history = kAttention};
constinit const Operator QAttention = {.domain = kMicrosoftDomain, .name = "QAttention", .history = kQAttention};
constinit const Operator MultiHeadAttention = {
    .domain = kMicrosoftDomain, .name = "MultiHeadAttention", .history = kMultiHeadAttention};
constinit const Operator GroupQueryAttention = {
    .domain = kMicrosoftDomain, .name = "GroupQueryAttention", .history = kGroupQueryAttention};

}  // namespace microsoft

void fused_attention_schemas(opset::SchemaTable& table) {
  table.add(microsoft::Attention);
  table.add(microsoft::QAttention);
  table.add(microsoft::MultiHeadAttention);
  table.add(microsoft::GroupQueryAttention);
}

}  // namespace norn::ops
