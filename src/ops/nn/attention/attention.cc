// Scaled dot-product attention, with a cache of keys and values. Inputs have three axes (and head counts) or four.
// Masks are booleans or summands. 24 added the lengths of caches that are padded.
#include "ops/nn/attention/attention.h"

#include <algorithm>
#include <cmath>

#include "ops/common/agree.h"
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

// The mask broadcasts to the scores, except that it may have fewer columns from version 24 on.
void require_mask(const NodeView& node, const AttentionSizes& sizes) {
  const auto mask = node.known_shape(3);
  if (!mask) return;
  const std::optional<DimExpr> total = sizes.past ? std::optional(*sizes.past + sizes.keys) : std::nullopt;
  const std::optional<DimExpr> scores[] = {sizes.batch, sizes.q_heads, sizes.rows, total};
  bool fits = !mask->empty() && mask->size() <= std::size(scores);
  for (std::size_t d = 0; fits && d < mask->size(); ++d) {
    const DimExpr& size = (*mask)[mask->size() - 1 - d];
    const auto& of = scores[std::size(scores) - 1 - d];
    if (!of || !size.is_constant() || !of->is_constant()) continue;
    const bool shorter = d == 0 && node.version() >= 24 && size.constant() <= of->constant();
    fits = shorter || size == *of || size.constant() == 1;
  }
  if (!fits)
    node.fail("attn_mask " + to_string(*mask) + " does not broadcast to the scores " +
              to_string(Dims{sizes.batch, sizes.q_heads, sizes.rows, total.value_or(sizes.keys)}) +
              " (batch, heads of Q, rows of Q, keys)");
}

// What of the sizes the cache says, too.
void join_cache(const NodeView& node, AttentionSizes& p) {
  const auto key = node.known_shape(4), value = node.known_shape(5);
  if (key) {
    p.batch = node.unify(p.batch, (*key)[0], "batches of Q and past_key");
    p.kv_heads = node.unify(p.kv_heads, (*key)[1], "heads of K and past_key");
    p.size = node.unify(p.size, (*key)[3], "sizes of a head of K and past_key");
  }
  if (value) {
    p.batch = node.unify(p.batch, (*value)[0], "batches of Q and past_value");
    p.kv_heads = node.unify(p.kv_heads, (*value)[1], "heads of V and past_value");
    p.v_size = node.unify(p.v_size, (*value)[3], "sizes of a head of V and past_value");
  }
  p.past = key && value ? std::optional(node.unify((*key)[2], (*value)[2], "lengths of past_key and past_value"))
           : key        ? std::optional((*key)[2])
           : value      ? std::optional((*value)[2])
                        : std::nullopt;
}

void infer_attention(InferContext& ctx) {
  for (int o = 0; o < 4; ++o) ctx.set(o, ctx.elem(o == 2 ? 2 : 0));
  resolve_attention_options(ctx);
  const auto p = resolve_attention_sizes(ctx);
  if (!p) return;
  const DimExpr total = p->past ? *p->past + p->keys : ctx.fresh_dim("the length of past_key is not known");
  ctx.set(0, ctx.elem(0),
          p->packed ? Dims{p->batch, p->rows, p->q_heads == p->kv_heads ? ctx.shape(2)[2] : p->v_size * p->q_heads}
                    : Dims{p->batch, p->q_heads, p->rows, p->v_size});
  ctx.set(1, ctx.elem(0), {p->batch, p->kv_heads, total, p->size});
  ctx.set(2, ctx.elem(2), {p->batch, p->kv_heads, total, p->v_size});
  ctx.set(3, ctx.elem(0), {p->batch, p->q_heads, p->rows, total});
}

}  // namespace
}  // namespace attention_cc

AttentionOptions resolve_attention_options(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  AttentionOptions p;
  p.q_heads = attrs.find_i("q_num_heads").value_or(0);
  p.kv_heads = attrs.find_i("kv_num_heads").value_or(0);
  if (const auto q = node.known_shape(0); q && q->size() == 3) {
    if (p.q_heads <= 0 || p.kv_heads <= 0)
      node.fail("inputs of rank 3 take the attributes q_num_heads and kv_num_heads, above 0");
    check_attention_heads(node, p.q_heads, p.kv_heads);
  }
  if (const auto scale = attrs.find_f("scale")) p.scale = static_cast<double>(*scale);
  p.softcap = static_cast<double>(attrs.f("softcap"));
  p.causal = attrs.flag("is_causal");
  if (attrs.declares("left_window_size")) {
    p.left_window = std::max<std::int64_t>(-1, attrs.i("left_window_size"));
    p.right_window = std::max<std::int64_t>(-1, attrs.i("right_window_size"));
  }
  p.qk_mode = attrs.i("qk_matmul_output_mode");
  if (p.qk_mode < 0 || p.qk_mode > 3)
    node.fail("qk_matmul_output_mode is " + std::to_string(p.qk_mode) + ", but has to be 0, 1, 2 or 3");
  if (const auto type = attrs.find_i("softmax_precision")) p.softmax_type = static_cast<DataType>(*type);
  if (p.softmax_type && *p.softmax_type != DataType::Float && *p.softmax_type != DataType::Double &&
      *p.softmax_type != DataType::Float16 && *p.softmax_type != DataType::BFloat16)
    node.fail("softmax_precision is " + std::to_string(static_cast<int>(*p.softmax_type)) +
              ", which is not a floating-point type");
  return p;
}

void check_attention_heads(const NodeView& node, std::int64_t query, std::int64_t kv) {
  if (kv == 0 ? query != 0 : kv < 0 || query % kv != 0)
    node.fail("the query's " + std::to_string(query) + " heads are not a multiple of the key's " + std::to_string(kv));
}

std::optional<AttentionSizes> resolve_attention_sizes(const NodeView& node) {
  if (node.has_input(4) != node.has_input(5)) node.fail("past_key and past_value come together");
  require_rank_of(node, 0, {3, 4});
  node.require_rank(4, 4);
  node.require_rank(5, 4);
  node.require_rank(6, 1);
  const auto q = node.known_shape(0), k = node.known_shape(1), v = node.known_shape(2);
  if (!q) return {};
  const auto rank = static_cast<std::int64_t>(q->size());
  node.require_rank(1, rank);
  node.require_rank(2, rank);
  if (!k || !v) return {};
  AttentionSizes p;
  p.packed = rank == 3;
  p.batch = node.unify((*q)[0], (*k)[0], "batches of Q and K");
  p.batch = node.unify(p.batch, (*v)[0], "batches of Q and V");
  const std::size_t length = p.packed ? 1 : 2;
  p.rows = (*q)[length];
  p.keys = node.unify((*k)[length], (*v)[length], "lengths of K and V");
  DimExpr k_size;
  if (p.packed) {
    const AttentionOptions options = resolve_attention_options(node);
    const auto part = [&](const DimExpr& whole, std::int64_t count, const char* name) {
      if (whole.is_constant() && whole.constant() % count != 0)
        node.fail(std::string(name) + "'s last dimension " + to_string(Dims{whole}) + " does not split into " +
                  std::to_string(count) + " heads");
      return DimExpr::floor_div(whole, count);
    };
    p.q_heads = options.q_heads;
    p.kv_heads = options.kv_heads;
    p.size = part((*q)[2], options.q_heads, "Q");
    k_size = part((*k)[2], options.kv_heads, "K");
    p.v_size = part((*v)[2], options.kv_heads, "V");
  } else {
    p.q_heads = (*q)[1];
    p.kv_heads = node.unify((*k)[1], (*v)[1], "heads of K and V");
    if (p.q_heads.is_constant() && p.kv_heads.is_constant())
      check_attention_heads(node, p.q_heads.constant(), p.kv_heads.constant());
    p.size = (*q)[3];
    k_size = (*k)[3];
    p.v_size = (*v)[3];
  }
  p.size = node.unify(p.size, k_size, "sizes of a head of Q and K");
  if (node.has_input(4)) join_cache(node, p);
  p.batch = agree(node, 6, 0, p.batch, "the batch");
  require_mask(node, p);
  return p;
}

AttentionParams resolve_attention(const NodeView& node) {
  AttentionParams p{resolve_attention_options(node)};
  const AttentionSizes sizes = node.require(resolve_attention_sizes(node), "Q, K or V");
  p.packed = sizes.packed;
  p.batch = sizes.batch.constant();
  p.q_heads = sizes.q_heads.constant();
  p.kv_heads = sizes.kv_heads.constant();
  p.rows = sizes.rows.constant();
  p.keys = sizes.keys.constant();
  p.past = sizes.past->constant();
  p.size = sizes.size.constant();
  p.v_size = sizes.v_size.constant();
  p.score_scale = p.scale.value_or(1 / std::sqrt(static_cast<double>(p.size)));
  return p;
}

constinit const Operator Attention = {.name = "Attention", .history = kAttention, .infer = infer_attention};

void attention_schemas(SchemaTable& table) { table.add(Attention); }

}  // namespace norn::ops
