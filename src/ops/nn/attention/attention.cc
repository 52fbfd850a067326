// Scaled dot-product attention, with a cache of keys and values. Inputs have three axes (and head counts) or four.
// Masks are booleans or summands. 24 added the lengths of caches that are padded.
#include "ops/nn/attention/attention.h"

#include <algorithm>
#include <cmath>

#include "opset/infer_context.h"

namespace norn::ops {
inline namespace attention_cc {
namespace {

using namespace opset;

constexpr auto kOptional = ParamOption::Optional;

constexpr Param kAttnMask = {.name = "attn_mask", .type = "U", .option = kOptional};
constexpr Param kPastKey = {.name = "past_key", .type = "T1", .option = kOptional};
constexpr Param kPastValue = {.name = "past_value", .type = "T2", .option = kOptional};
constexpr Attr kIsCausal = {.name = "is_causal", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Attr kKvNumHeads = {.name = "kv_num_heads", .type = ir::AttributeType::Int};
constexpr Attr kQNumHeads = {.name = "q_num_heads", .type = ir::AttributeType::Int};
constexpr Attr kQkMatmulOutputMode = {
    .name = "qk_matmul_output_mode", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Attr kScale = {.name = "scale", .type = ir::AttributeType::Float};
constexpr Attr kSoftcap = {.name = "softcap", .type = ir::AttributeType::Float, .def = def_float(0.0f)};
constexpr Attr kSoftmaxPrecision = {.name = "softmax_precision", .type = ir::AttributeType::Int};
constexpr Param kInputs23[] = {
    {.name = "Q", .type = "T1"},
    {.name = "K", .type = "T1"},
    {.name = "V", .type = "T2"},
    kAttnMask,
    kPastKey,
    kPastValue,
};
constexpr Param kInputs24[] = {
    {.name = "Q", .type = "T1"},
    {.name = "K", .type = "T1"},
    {.name = "V", .type = "T2"},
    kAttnMask,
    kPastKey,
    kPastValue,
    {.name = "nonpad_kv_seqlen", .type = "tensor(int64)", .option = kOptional},
};
constexpr Param kOutputs[] = {
    {.name = "Y", .type = "T1"},
    {.name = "present_key", .type = "T1", .option = kOptional},
    {.name = "present_value", .type = "T2", .option = kOptional},
    {.name = "qk_matmul_output", .type = "T1", .option = kOptional},
};
constexpr Attr kAttrs23[] = {kIsCausal, kKvNumHeads, kQNumHeads,       kQkMatmulOutputMode,
                             kScale,    kSoftcap,    kSoftmaxPrecision};
constexpr Attr kAttrs25[] = {
    kIsCausal,
    kKvNumHeads,
    {.name = "left_window_size", .type = ir::AttributeType::Int, .def = def_int(-1)},
    kQNumHeads,
    kQkMatmulOutputMode,
    {.name = "right_window_size", .type = ir::AttributeType::Int, .def = def_int(-1)},
    kScale,
    kSoftcap,
    kSoftmaxPrecision,
};
constexpr TypeConstraint kTypes[] = {
    {"T1", tensors(types::kFloats)},
    {"T2", tensors(types::kFloats)},
    {"U", tensors(types::kNumericBf | types::kBool)},
};

constexpr Schema kAttention[] = {
    {.since = 23, .inputs = kInputs23, .outputs = kOutputs, .attrs = kAttrs23, .types = kTypes},
    {.since = 24, .inputs = kInputs24, .outputs = kOutputs, .attrs = kAttrs23, .types = kTypes},
    {.since = 25, .inputs = kInputs24, .outputs = kOutputs, .attrs = kAttrs25, .types = kTypes},
};

struct Heads {
  std::int64_t query, kv;
};
// What attributes say of inputs of rank 3.
Heads packed_heads(const NodeView& node) {
  const AttentionOptions options = resolve_attention_options(node.attrs());
  const Heads heads{options.q_heads, options.kv_heads};
  if (heads.query <= 0 || heads.kv <= 0)
    node.fail("inputs of rank 3 take the attributes q_num_heads and kv_num_heads, above 0");
  return heads;
}
// Tensors without heads are empty ones.
void require_multiple(const NodeView& node, const Heads& heads) {
  if (heads.kv == 0 ? heads.query != 0 : heads.kv < 0 || heads.query % heads.kv != 0)
    node.fail("the query's " + std::to_string(heads.query) + " heads are not a multiple of the key's " +
              std::to_string(heads.kv));
}

// The mask broadcasts to the scores, except that it may have fewer columns from version 24 on.
void require_mask(InferContext& ctx, const Dims& scores) {
  if (!ctx.has_rank(3)) return;
  const Dims& mask = ctx.shape(3);
  bool fits = !mask.empty() && mask.size() <= scores.size();
  for (std::size_t d = 0; fits && d < mask.size(); ++d) {
    const DimExpr &size = mask[mask.size() - 1 - d], &of = scores[scores.size() - 1 - d];
    if (!size.is_constant() || !of.is_constant()) continue;
    const bool shorter = d == 0 && ctx.schema().since >= 24 && size.constant() <= of.constant();
    fits = shorter || size == of || size.constant() == 1;
  }
  if (!fits)
    ctx.fail("attn_mask " + to_string(mask) + " does not broadcast to the scores " + to_string(scores) +
             " (batch, heads of Q, rows of Q, keys)");
}

void infer_attention(InferContext& ctx) {
  for (int o = 0; o < 4; ++o) ctx.set(o, ctx.elem(o == 2 ? 2 : 0));
  if (ctx.has_input(4) != ctx.has_input(5)) ctx.fail("past_key and past_value come together");
  if (!ctx.has_rank(0)) return;
  const int rank = ctx.rank(0);
  if (rank != 3 && rank != 4) ctx.fail("Q has rank " + std::to_string(rank) + ", but has to have 3 or 4");
  ctx.require_rank(1, rank);
  ctx.require_rank(2, rank);
  ctx.require_rank(4, 4);
  ctx.require_rank(5, 4);
  resolve_attention_options(ctx.attrs());
  if (!ctx.has_rank(1) || !ctx.has_rank(2)) {
    if (rank == 3) packed_heads(ctx);
    return;
  }
  const Dims &q = ctx.shape(0), &k = ctx.shape(1), &v = ctx.shape(2);
  DimExpr batch = ctx.unify(q[0], k[0], "batches of Q and K");
  batch = ctx.unify(batch, v[0], "batches of Q and V");
  DimExpr heads, kv_heads, rows, keys, size, v_size, y_size;
  if (rank == 4) {
    heads = q[1];
    kv_heads = ctx.unify(k[1], v[1], "heads of K and V");
    if (heads.is_constant() && kv_heads.is_constant()) require_multiple(ctx, {heads.constant(), kv_heads.constant()});
    rows = q[2];
    keys = ctx.unify(k[2], v[2], "lengths of K and V");
    size = ctx.unify(q[3], k[3], "sizes of a head of Q and K");
    v_size = v[3];
    ctx.set(0, ctx.elem(0), {batch, heads, rows, v_size});
  } else {
    const Heads given = packed_heads(ctx);
    require_multiple(ctx, given);
    heads = given.query;
    kv_heads = given.kv;
    rows = q[1];
    keys = ctx.unify(k[1], v[1], "lengths of K and V");
    const auto part = [&](const DimExpr& whole, std::int64_t count, const char* name) -> DimExpr {
      if (whole.is_constant() && whole.constant() % count != 0)
        ctx.fail(std::string(name) + "'s last dimension " + to_string(Dims{whole}) + " does not split into " +
                 std::to_string(count) + " heads");
      return DimExpr::floor_div(whole, count);
    };
    size = part(q[2], given.query, "Q");
    v_size = part(v[2], given.kv, "V");
    part(k[2], given.kv, "K");
    ctx.set(0, ctx.elem(0), {batch, rows, given.query == given.kv ? v[2] : v_size * heads});
  }
  DimExpr total = keys;
  if (ctx.has_input(4)) {
    if (!ctx.has_rank(4)) {
      total = ctx.fresh_dim("the length of past_key is not known");
    } else {
      const Dims& past = ctx.shape(4);
      batch = ctx.unify(batch, past[0], "batches of Q and past_key");
      kv_heads = ctx.unify(kv_heads, past[1], "heads of K and past_key");
      size = ctx.unify(size, past[3], "sizes of a head of K and past_key");
      total = past[2] + keys;
    }
    if (ctx.has_rank(5)) {
      const Dims& past = ctx.shape(5);
      if (ctx.has_rank(4)) ctx.unify(ctx.shape(4)[2], past[2], "lengths of past_key and past_value");
      v_size = ctx.unify(v_size, past[3], "sizes of a head of V and past_value");
    }
  }
  require_mask(ctx, {batch, heads, rows, total});
  ctx.set(1, ctx.elem(0), {batch, kv_heads, total, size});
  ctx.set(2, ctx.elem(2), {batch, kv_heads, total, v_size});
  ctx.set(3, ctx.elem(0), {batch, heads, rows, total});
}

}  // namespace
}  // namespace attention_cc

AttentionOptions resolve_attention_options(const Attrs& attrs) {
  AttentionOptions p;
  p.q_heads = attrs.find_i("q_num_heads").value_or(0);
  p.kv_heads = attrs.find_i("kv_num_heads").value_or(0);
  if (const auto scale = attrs.find_f("scale")) p.scale = static_cast<double>(*scale);
  p.softcap = static_cast<double>(attrs.f("softcap"));
  p.causal = attrs.flag("is_causal");
  if (attrs.declares("left_window_size")) {
    p.left_window = std::max<std::int64_t>(-1, attrs.i("left_window_size"));
    p.right_window = std::max<std::int64_t>(-1, attrs.i("right_window_size"));
  }
  p.qk_mode = attrs.i("qk_matmul_output_mode");
  if (p.qk_mode < 0 || p.qk_mode > 3)
    throw Error(ErrorCode::InvalidGraph,
                "qk_matmul_output_mode is " + std::to_string(p.qk_mode) + ", but has to be 0, 1, 2 or 3");
  if (const auto type = attrs.find_i("softmax_precision")) p.softmax_type = static_cast<DataType>(*type);
  return p;
}

AttentionParams resolve_attention(const NodeView& node, const Shape& q, const Shape& k, const Shape& v,
                                  const Shape* mask, const Shape* past_key, const Shape* past_value) {
  AttentionParams p;
  const auto misfit = [&]() {
    std::string text = "Q " + to_string(q) + ", K " + to_string(k) + ", V " + to_string(v);
    if (past_key) text += ", past_key " + to_string(*past_key);
    if (past_value) text += ", past_value " + to_string(*past_value);
    if (mask) text += ", attn_mask " + to_string(*mask);
    node.fail(text + " do not fit together");
  };
  if ((past_key == nullptr) != (past_value == nullptr)) node.fail("past_key and past_value come together");
  if (q.size() != 3 && q.size() != 4) node.fail("Q has rank " + std::to_string(q.size()) + ", but has to have 3 or 4");
  if (k.size() != q.size() || v.size() != q.size()) misfit();
  p.packed = q.size() == 3;
  p.batch = q[0];
  std::int64_t k_size = 0;
  if (p.packed) {
    const Heads heads = packed_heads(node);
    p.q_heads = heads.query;
    p.kv_heads = heads.kv;
    if (q[2] % p.q_heads != 0 || k[2] % p.kv_heads != 0 || v[2] % p.kv_heads != 0) misfit();
    p.rows = q[1];
    p.keys = k[1];
    p.size = q[2] / p.q_heads;
    k_size = k[2] / p.kv_heads;
    p.v_size = v[2] / p.kv_heads;
    if (v[1] != p.keys) misfit();
  } else {
    p.q_heads = q[1];
    p.kv_heads = k[1];
    p.rows = q[2];
    p.keys = k[2];
    p.size = q[3];
    k_size = k[3];
    p.v_size = v[3];
    if (v[1] != p.kv_heads || v[2] != p.keys) misfit();
  }
  if (k[0] != p.batch || v[0] != p.batch || k_size != p.size) misfit();
  require_multiple(node, {p.q_heads, p.kv_heads});
  if (past_key) {
    if (past_key->size() != 4 || past_value->size() != 4) misfit();
    p.past = (*past_key)[2];
    if (*past_key != Shape{p.batch, p.kv_heads, p.past, p.size} ||
        *past_value != Shape{p.batch, p.kv_heads, p.past, p.v_size})
      misfit();
  }
  if (mask) {
    const Shape whole = {p.batch, p.q_heads, p.rows, p.total()};
    if (mask->empty() || mask->size() > 4) misfit();
    for (std::size_t d = 0; d < mask->size(); ++d) {
      const std::int64_t size = (*mask)[mask->size() - 1 - d], of = whole[3 - d];
      if (d == 0 ? size > of : size != of && size != 1) misfit();
    }
  }
  const AttentionOptions options = resolve_attention_options(node.attrs());
  p.scale = options.scale.value_or(1 / std::sqrt(static_cast<double>(p.size)));
  p.softcap = options.softcap;
  p.causal = options.causal;
  p.left_window = options.left_window;
  p.right_window = options.right_window;
  p.qk_mode = options.qk_mode;
  p.softmax_type = options.softmax_type;
  if (p.softmax_type && *p.softmax_type != DataType::Float && *p.softmax_type != DataType::Double &&
      *p.softmax_type != DataType::Float16 && *p.softmax_type != DataType::BFloat16)
    node.fail("softmax_precision is " + std::to_string(static_cast<int>(*p.softmax_type)) +
              ", which is not a floating-point type");
  return p;
}

constinit const Operator Attention = {.name = "Attention", .history = kAttention, .infer = infer_attention};

void attention_schemas(SchemaTable& table) { table.add(Attention); }

}  // namespace norn::ops
