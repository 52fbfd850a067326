// Attention with a recurrent state instead of a matrix of scores. update_rule chooses the recurrence; decay and beta
// are inputs that some rules need.
#include "ops/nn/linear_attention/linear_attention.h"

#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "norn/error.h"
#include "ops/common/agree.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace linear_attention_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;
constexpr auto kNonDiff = Differentiability::NonDifferentiable;
constexpr auto kOptional = ParamOption::Optional;

constexpr TypeSet kSetT27 = tensors(elems(DataType::BFloat16, DataType::Float, DataType::Float16));
constexpr Param kInputs[] = {
    {.name = "query", .type = "T", .diff = kDiff},
    {.name = "key", .type = "T", .diff = kDiff},
    {.name = "value", .type = "T", .diff = kDiff},
    {.name = "past_state", .type = "S", .option = kOptional, .diff = kNonDiff},
    {.name = "decay", .type = "T", .option = kOptional, .diff = kDiff},
    {.name = "beta", .type = "T", .option = kOptional, .diff = kDiff},
};
constexpr Param kOutputs[] = {
    {.name = "output", .type = "T", .diff = kDiff},
    {.name = "present_state", .type = "S", .diff = kNonDiff},
};
constexpr Attr kAttrs[] = {
    {.name = "chunk_size", .type = ir::AttributeType::Int, .def = def_int(64)},
    {.name = "kv_num_heads", .type = ir::AttributeType::Int, .required = true},
    {.name = "q_num_heads", .type = ir::AttributeType::Int, .required = true},
    {.name = "scale", .type = ir::AttributeType::Float, .def = def_float(0.0f)},
    {.name = "update_rule", .type = ir::AttributeType::String, .def = def_string("gated_delta")},
};
constexpr TypeConstraint kTypes[] = {{"T", kSetT27}, {"S", kSetT27}};

constexpr Schema kLinearAttention[] = {
    {.since = 27,
     .inputs = kInputs,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes,
     .determinism = Determinism::Unknown},
};

// The size of a head, where `heads` of them lie behind each other along the last axis of input `i`.
std::optional<DimExpr> head_size(InferContext& ctx, int i, std::int64_t heads) {
  const auto packed = size_of(ctx, i, 2);
  if (!packed) return {};
  if (packed->is_constant() && packed->constant() % heads != 0)
    ctx.fail(axis_text(ctx, i, 2) + " is " + packed->to_string() + ", which is not a multiple of " +
             std::to_string(heads) + " heads");
  return DimExpr::floor_div(*packed, heads);
}

void infer_linear_attention(InferContext& ctx) {
  const LinearAttentionParams p = resolve_linear_attention(ctx.attrs(), ctx.has_input(4), ctx.has_input(5));
  const std::int64_t q_heads = p.q_heads, heads = p.kv_heads;
  for (const int i : {0, 1, 2, 4, 5})
    if (ctx.has_input(i)) ctx.require_rank(i, 3);
  if (ctx.has_input(3)) ctx.require_rank(3, 4);
  std::optional<DimExpr> batch = size_of(ctx, 0, 0), length = size_of(ctx, 0, 1);
  for (const int i : {1, 2, 4, 5}) {
    batch = batch ? agree(ctx, i, 0, *batch, "the batch") : size_of(ctx, i, 0);
    length = length ? agree(ctx, i, 1, *length, "the length of the sequence") : size_of(ctx, i, 1);
  }
  batch = batch ? agree(ctx, 3, 0, *batch, "the batch") : size_of(ctx, 3, 0);
  agree(ctx, 3, 1, heads, "kv_num_heads");
  // Sizes of heads are compared by products, which can be solved for what is not known.
  std::optional<DimExpr> key_size = head_size(ctx, 0, q_heads), value_size = head_size(ctx, 2, heads);
  const auto own_key_size = head_size(ctx, 1, heads);
  const auto query = size_of(ctx, 0, 2), key = size_of(ctx, 1, 2), value = size_of(ctx, 2, 2);
  if (query && key)
    ctx.unify(*query * heads, *key * q_heads, "axis 2 of query, by q_num_heads, and of key, by kv_num_heads,");
  if (own_key_size && (!key_size || own_key_size->is_constant())) key_size = own_key_size;
  if (const auto past = size_of(ctx, 3, 2)) {
    if (key) ctx.unify(*past * heads, *key, "axis 2 of past_state, by kv_num_heads, and axis 2 of key");
    if (query) ctx.unify(*past * q_heads, *query, "axis 2 of past_state, by q_num_heads, and axis 2 of query");
    if (!key_size || past->is_constant()) key_size = past;
  }
  if (const auto past = size_of(ctx, 3, 3)) {
    if (value) ctx.unify(*past * heads, *value, "axis 3 of past_state, by kv_num_heads, and axis 2 of value");
    if (!value_size || past->is_constant()) value_size = past;
  }
  const auto one_of = [&](int i, const DimExpr& one, const DimExpr& other, const char* which) {
    const auto own = size_of(ctx, i, 2);
    if (own && DimExpr::differ(*own, one) && DimExpr::differ(*own, other))
      ctx.fail(axis_text(ctx, i, 2) + " is " + own->to_string() + ", but has to be " + which + ", " + one.to_string() +
               " or " + other.to_string());
  };
  one_of(4, heads, key_size ? *key_size * heads : ctx.fresh_dim(), "one number for each head or for each of its keys");
  one_of(5, heads, 1, "one number for each head or for all");
  const auto or_fresh = [&](const std::optional<DimExpr>& size) { return size ? *size : ctx.fresh_dim(); };
  const DimExpr by_value = or_fresh(value_size);
  ctx.set(0, ctx.elem(0), {or_fresh(batch), or_fresh(length), by_value * q_heads});
  ctx.set(1, ctx.has_input(3) ? ctx.elem(3) : ctx.elem(0), {or_fresh(batch), heads, or_fresh(key_size), by_value});
}

}  // namespace
}  // namespace linear_attention_cc

LinearAttentionParams resolve_linear_attention(const opset::Attrs& attrs, bool has_decay, bool has_beta) {
  const auto refuse = [](std::string message, std::string hint = {}) {
    throw Error(ErrorCode::InvalidGraph, std::move(message), {}, std::move(hint));
  };
  LinearAttentionParams p = {.q_heads = attrs.i("q_num_heads"), .kv_heads = attrs.i("kv_num_heads")};
  if (p.kv_heads <= 0 || p.q_heads <= 0 || p.q_heads % p.kv_heads != 0)
    refuse("q_num_heads " + std::to_string(p.q_heads) + " is not a multiple of kv_num_heads " +
           std::to_string(p.kv_heads));
  const std::string rule = attrs.s("update_rule");
  p.gated = rule == "gated" || rule == "gated_delta";
  p.delta = rule == "delta" || rule == "gated_delta";
  if (!p.gated && !p.delta && rule != "linear")
    refuse("update_rule is " + base::quoted(rule) + ", but has to be linear, gated, delta or gated_delta");
  if (p.gated && !has_decay) refuse("the update rule " + rule + " takes the input decay");
  if (p.delta && !has_beta) refuse("the update rule " + rule + " takes the input beta");
  return p;
}

constinit const Operator LinearAttention = {
    .name = "LinearAttention", .history = kLinearAttention, .infer = infer_linear_attention};

void linear_attention_schemas(SchemaTable& table) { table.add(LinearAttention); }

}  // namespace norn::ops
