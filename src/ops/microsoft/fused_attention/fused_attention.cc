// Attention as ONNX Runtime fuses it: with the projection of its inputs, masks of many shapes, caches of keys and
// values, and rotary positions.
#include "ops/microsoft/fused_attention/fused_attention.h"

#include <optional>
#include <string>
#include <vector>

#include "norn/error.h"
#include "ops/common/agree.h"
#include "ops/microsoft/domain.h"
#include "opset/infer_context.h"

namespace norn::ops {
namespace microsoft {
inline namespace fused_attention_cc {
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

using Size = std::optional<DimExpr>;

DimExpr or_fresh(InferContext& ctx, const Size& size) { return size ? *size : ctx.fresh_dim(); }

// A mask with an axis for the batch has one row for each sequence, and one for each query where it has three axes. Of
// a mask with one axis the body compares the length.
void compare_mask(InferContext& ctx, int mask, int batch_of) {
  if (!ctx.has_input(mask)) return;
  require_rank_of(ctx, mask, {1, 2, 3, 4});
  if (!ctx.has_rank(mask) || ctx.rank(mask) == 1) return;
  agree(ctx, batch_of, 0, mask, 0);
  if (ctx.rank(mask) == 3) agree(ctx, batch_of, 1, mask, 1);
}

// A summand of the scores [batch or 1, heads or 1, length, total length].
void compare_bias(InferContext& ctx, int bias, const Size& batch, std::int64_t heads, const Size& length,
                  const Size& total) {
  if (bias < 0 || !ctx.has_input(bias)) return;
  ctx.require_rank(bias, 4);
  const auto or_one = [&](int axis, const Size& size, const char* of) {
    const Size own = size_of(ctx, bias, axis);
    if (size && own && own->is_constant() && own->constant() != 1) agree(ctx, bias, axis, *size, of);
  };
  or_one(0, batch, "the batch");
  or_one(1, heads, "the number of heads");
  if (length) agree(ctx, bias, 2, *length, "the number of queries");
  if (total) agree(ctx, bias, 3, *total, "the number of keys");
}

// A head has a whole number of elements.
void split_into_heads(const InferContext& ctx, const Size& size, std::int64_t heads, const std::string& what) {
  if (size && size->is_constant() && size->constant() % heads != 0)
    ctx.fail(what + " is " + size->to_string() + ", which is not a multiple of num_heads, " + std::to_string(heads));
}

// `numbers` are the inputs of the operator: weights, bias, mask, past, attention_bias (-1: it has none).
struct ProjectedInputs {
  int weights, bias, mask, past, attention_bias;
};

void infer_projected(InferContext& ctx, const ProjectedInputs& at, DataType type) {
  const auto [heads, sizes, shared, causal] = resolve_projection(ctx);
  ctx.require_rank(0, 3);
  ctx.require_rank(at.weights, 2);
  agree(ctx, 0, 2, at.weights, 0);
  if (ctx.has_input(at.bias)) require_list(ctx, at.bias, at.weights, 1);
  compare_mask(ctx, at.mask, 0);
  if (ctx.has_input(at.past)) ctx.require_rank(at.past, 5);
  agree(ctx, at.past, 0, 2, "keys and values");
  agree(ctx, 0, 0, at.past, 1);
  agree(ctx, at.past, 2, heads, "num_heads");
  const Size batch = size_of(ctx, 0, 0), length = size_of(ctx, 0, 1);
  Size columns = size_of(ctx, at.weights, 1), values, keys;
  if (!columns) columns = size_of(ctx, at.bias, 0);
  if (sizes) {
    values = DimExpr((*sizes)[2]);
    keys = DimExpr((*sizes)[1]);
  } else if (columns) {
    if (columns->is_constant() && columns->constant() % 3 != 0)
      ctx.fail(
          "the weights have " + columns->to_string() +
          " columns, which do not split into those of queries, keys and values: without qkv_hidden_sizes they are a "
          "multiple of 3");
    values = keys = DimExpr::floor_div(*columns, 3);
  }
  split_into_heads(ctx, keys, heads, "the size of a key");
  split_into_heads(ctx, values, heads, "the size of a value");
  if (ctx.has_input(at.past) && keys) agree(ctx, at.past, 4, DimExpr::floor_div(*keys, heads), "the size of a head");
  const Size before = size_of(ctx, at.past, 3);
  Size total = length;
  if (ctx.has_input(at.past)) total = length && before ? Size(*length + *before) : std::nullopt;
  compare_bias(ctx, at.attention_bias, batch, heads, length, shared ? std::nullopt : total);
  ctx.set(0, type, {or_fresh(ctx, batch), or_fresh(ctx, length), or_fresh(ctx, values)});
  ctx.set(1, type,
          {2, or_fresh(ctx, batch), heads, or_fresh(ctx, shared ? before : total),
           or_fresh(ctx, keys ? Size(DimExpr::floor_div(*keys, heads)) : std::nullopt)});
}

void infer_fused_attention(InferContext& ctx) { infer_projected(ctx, {1, 2, 3, 4, 5}, ctx.elem(0)); }
void infer_qattention(InferContext& ctx) { infer_projected(ctx, {1, 2, 5, 8, -1}, ctx.elem(3)); }

// query, key and value in three axes, or packed in five, or a key and a value that are projected already, in four.
void infer_multi_head_attention(InferContext& ctx) {
  const std::int64_t heads = resolve_head_counts(ctx).query;
  resolve_multi_head(ctx);
  if (ctx.has_input(1) && ctx.has_rank(1) && ctx.rank(1) != 5 && ctx.has_input(2)) ctx.require_rank(2, ctx.rank(1));
  if (ctx.has_input(3)) ctx.require_rank(3, 1);
  compare_mask(ctx, 4, 0);
  for (const int i : {6, 7}) {
    if (ctx.has_input(i)) ctx.require_rank(i, 4);
    agree(ctx, 0, 0, i, 0);
    agree(ctx, i, 1, heads, "num_heads");
  }
  agree(ctx, 6, 2, 7, 2);
  for (const int i : {1, 2}) agree(ctx, 0, 0, i, 0);
  const bool cross = ctx.has_input(1) && ctx.has_rank(1) && ctx.rank(1) == 4,
             packed = ctx.has_rank(0) && ctx.rank(0) == 5;
  if (ctx.has_rank(1)) agree(ctx, 1, cross ? 2 : 1, 2, cross ? 2 : 1);
  const Size batch = size_of(ctx, 0, 0), length = size_of(ctx, 0, 1);
  const Size added = packed ? length : size_of(ctx, 1, cross ? 2 : 1), before = size_of(ctx, 6, 2);
  const bool shared = ctx.has_input(8);
  Size total = added;
  if (ctx.has_input(6)) total = shared || !added || !before ? std::nullopt : Size(*added + *before);
  compare_bias(ctx, 5, batch, heads, length, total);
  const bool by_token = ctx.has_rank(0) && !packed && ctx.has_rank(1) && ctx.rank(1) == 3;
  const Size head_size = packed     ? size_of(ctx, 0, 4)
                         : by_token ? Size(DimExpr::floor_div(ctx.shape(0)[2], heads))
                                    : size_of(ctx, 1, cross ? 3 : 4);
  Size value_size = packed ? head_size : cross ? size_of(ctx, 2, 3) : head_size;
  if (by_token) {
    agree(ctx, 0, 2, 1, 2);
    const Size values = size_of(ctx, 2, 2);
    split_into_heads(ctx, ctx.shape(0)[2], heads, "the size of a query");
    split_into_heads(ctx, values, heads, "the size of a value");
    value_size = values ? Size(DimExpr::floor_div(*values, heads)) : std::nullopt;
  }
  const DataType type = ctx.elem(0);
  ctx.set(0, type,
          {or_fresh(ctx, batch), or_fresh(ctx, length),
           or_fresh(ctx, value_size ? Size(*value_size * heads) : value_size)});
  const Size kept = shared ? before : total;
  ctx.set(1, type, {or_fresh(ctx, batch), heads, or_fresh(ctx, kept), or_fresh(ctx, head_size)});
  ctx.set(2, type, {or_fresh(ctx, batch), heads, or_fresh(ctx, kept), or_fresh(ctx, value_size)});
  ctx.set(3, type, {or_fresh(ctx, batch), heads, or_fresh(ctx, length), or_fresh(ctx, total)});
}

void infer_group_query_attention(InferContext& ctx) {
  const auto [heads, shared] = resolve_group_query(ctx).heads;
  for (const int i : {0, 1, 2})
    if (ctx.has_input(i)) ctx.require_rank(i, 3);
  for (const int i : {3, 4}) {
    if (ctx.has_input(i)) ctx.require_rank(i, 4);
    agree(ctx, 0, 0, i, 0);
    agree(ctx, i, 1, shared, "kv_num_heads");
  }
  for (const int axis : {2, 3}) agree(ctx, 3, axis, 4, axis);
  for (const int i : {1, 2}) agree(ctx, 0, 0, i, 0);
  for (const int axis : {1, 2}) agree(ctx, 1, axis, 2, axis);
  // No new keys are allowed beside a cache of all of them.
  const Size length = size_of(ctx, 0, 1), added = size_of(ctx, 1, 1);
  if (length && added && added->is_constant() && (added->constant() != 0 || !ctx.has_input(3)))
    agree(ctx, 1, 1, *length, "the number of queries");
  const Size batch = size_of(ctx, 0, 0);
  Size packed = size_of(ctx, 0, 2);
  if (packed && ctx.has_input(1)) {
    if (const Size keys = size_of(ctx, 1, 2))
      ctx.unify(*packed * shared, *keys * heads, "axis 2 of query, by num_heads, and of key, by kv_num_heads,");
  }
  const auto total_heads = ctx.has_input(1) ? DimExpr(heads) : DimExpr(heads) + DimExpr(shared) + DimExpr(shared);
  Size head_size = size_of(ctx, 3, 3);
  if (packed && (!head_size || !head_size->is_constant())) head_size = DimExpr::floor_div(*packed, total_heads);
  const DataType type = ctx.elem(0);
  ctx.set(
      0, type,
      {or_fresh(ctx, batch), or_fresh(ctx, length), or_fresh(ctx, head_size ? Size(*head_size * heads) : head_size)});
  const auto total = ctx.known_ints(6);
  Size room;
  if (total && total->size() == 1) {
    const Size before = ctx.has_input(3) ? size_of(ctx, 3, 2) : length;
    if (before) room = DimExpr::max(*before, total->front());
  }
  const DimExpr kept = or_fresh(ctx, room);
  for (const int o : {1, 2}) ctx.set(o, type, {or_fresh(ctx, batch), shared, kept, or_fresh(ctx, head_size)});
  ctx.set(3, type,
          {or_fresh(ctx, batch), heads, or_fresh(ctx, length),
           total && total->size() == 1 ? total->front() : ctx.fresh_dim()});
}

}  // namespace
}  // namespace fused_attention_cc

HeadCounts resolve_head_counts(const NodeView& node) {
  const auto positive = [&](const char* name) {
    const std::int64_t heads = node.attrs().i(name);
    if (heads <= 0)
      node.fail(std::string("the attribute ") + name + " is " + std::to_string(heads) + ", but has to be positive");
    return heads;
  };
  HeadCounts heads;
  heads.query = heads.key_value = positive("num_heads");
  if (node.attrs().declares("kv_num_heads")) heads.key_value = positive("kv_num_heads");
  if (heads.query % heads.key_value != 0)
    node.fail("num_heads is " + std::to_string(heads.query) + ", which is not a multiple of kv_num_heads, " +
              std::to_string(heads.key_value));
  return heads;
}

ProjectionParams resolve_projection(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  ProjectionParams p;
  p.heads = resolve_head_counts(node).query;
  if (attrs.declares("qkv_hidden_sizes")) p.sizes = attrs.find_ints("qkv_hidden_sizes");
  if (p.sizes && p.sizes->empty()) p.sizes.reset();
  if (p.sizes && p.sizes->size() != 3)
    node.fail("qkv_hidden_sizes has " + std::to_string(p.sizes->size()) + " numbers instead of three");
  if (p.sizes && (*p.sizes)[0] != (*p.sizes)[1])
    node.fail("qkv_hidden_sizes gives queries " + std::to_string((*p.sizes)[0]) + " columns and keys " +
              std::to_string((*p.sizes)[1]) + ", which have to be as many");
  p.shares_buffer = attrs.find_i("past_present_share_buffer").value_or(0) != 0;
  p.causal = attrs.flag("unidirectional");
  return p;
}

std::optional<MultiHeadParams> resolve_multi_head(const NodeView& node) {
  MultiHeadParams p;
  p.heads = resolve_head_counts(node).query;
  require_rank_of(node, 0, {3, 5});
  require_rank_of(node, 1, {3, 4, 5});
  if (node.has_input(6) != node.has_input(7)) node.fail("past_key and past_value come together");
  const auto query = node.known_shape(0), key = node.known_shape(1);
  if (!query || (node.has_input(1) && !key)) return {};
  p.packed = query->size() == 5;
  p.key_rank = key ? static_cast<int>(key->size()) : 0;
  if (p.packed != (p.key_rank == 0))
    node.fail("the input key is left out just where query holds keys and values, in five dimensions");
  if ((p.key_rank == 3 || p.key_rank == 4) != node.has_input(2))
    node.fail("the input value is left out just where query or key holds the values");
  return p;
}

GroupQueryParams resolve_group_query(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  GroupQueryParams p;
  p.heads = resolve_head_counts(node);
  if (p.heads.query > INT32_MAX) node.fail("the attribute num_heads is too large");
  p.causal = attrs.flag("causal");
  p.rotary = attrs.find_i("do_rotary").value_or(0) != 0;
  p.window = attrs.i("local_window_size");
  p.qk_output = attrs.i("qk_output");
  if (!p.causal && p.window > 0) node.fail("local_window_size takes the attribute causal to be 1");
  if (p.qk_output < 0 || p.qk_output > 2)
    node.fail("qk_output is " + std::to_string(p.qk_output) + ", but has to be 0, 1 or 2");
  if (node.has_input(3) != node.has_input(4)) node.fail("past_key and past_value come together");
  if (node.has_input(1) != node.has_input(2)) node.fail("key and value come together; without them, query holds both");
  if (node.has_input(14) != node.has_input(15)) node.fail("q_norm_weight and k_norm_weight come together");
  if (p.rotary && !(node.has_input(7) && node.has_input(8)))
    node.fail("do_rotary takes the inputs cos_cache and sin_cache");
  return p;
}

constinit const Operator Attention = {
    .domain = kMicrosoftDomain, .name = "Attention", .history = kAttention, .infer = infer_fused_attention};
constinit const Operator QAttention = {
    .domain = kMicrosoftDomain, .name = "QAttention", .history = kQAttention, .infer = infer_qattention};
constinit const Operator MultiHeadAttention = {.domain = kMicrosoftDomain,
                                               .name = "MultiHeadAttention",
                                               .history = kMultiHeadAttention,
                                               .infer = infer_multi_head_attention};
constinit const Operator GroupQueryAttention = {.domain = kMicrosoftDomain,
                                                .name = "GroupQueryAttention",
                                                .history = kGroupQueryAttention,
                                                .infer = infer_group_query_attention};

}  // namespace microsoft

void fused_attention_schemas(opset::SchemaTable& table) {
  table.add(microsoft::Attention);
  table.add(microsoft::QAttention);
  table.add(microsoft::MultiHeadAttention);
  table.add(microsoft::GroupQueryAttention);
}

}  // namespace norn::ops
