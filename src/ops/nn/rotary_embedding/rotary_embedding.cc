// Positions as rotations of pairs of elements. Pairs are halves of a head or, if interleaved, neighbours. Without
// position_ids the caches have a row for each token.
#include "ops/nn/rotary_embedding/rotary_embedding.h"

#include <algorithm>

#include "norn/error.h"
#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace rotary_embedding_cc {
namespace {

using namespace opset;

constexpr Param kInputs[] = {
    {.name = "X", .type = "T"},
    {.name = "cos_cache", .type = "T"},
    {.name = "sin_cache", .type = "T"},
    {.name = "position_ids", .type = "M", .option = ParamOption::Optional},
};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T"}};
constexpr Attr kAttrs[] = {
    {.name = "interleaved", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "num_heads", .type = ir::AttributeType::Int},
    {.name = "rotary_embedding_dim", .type = ir::AttributeType::Int, .def = def_int(0)},
};
constexpr TypeConstraint kTypes[] = {
    {"T", tensors(elems(DataType::BFloat16, DataType::Float, DataType::Float16))},
    {"M", tensors(elems(DataType::Int64))},
};

constexpr Schema kRotaryEmbedding[] = {
    {.since = 23, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

void infer_rotary(InferContext& ctx) {
  same_as_input(ctx);
  if (!ctx.has_rank(0)) return;
  if (ctx.rank(0) != 3 && ctx.rank(0) != 4)
    ctx.fail("X has rank " + std::to_string(ctx.rank(0)) + ", but has to have 3 or 4");
  const RotaryOptions options = resolve_rotary_options(ctx.attrs());
  if (ctx.rank(0) == 3) options.required_heads();
  for (int i = 1; i < 3; ++i) ctx.require_rank(i, ctx.has_input(3) ? 2 : 3);
  ctx.require_rank(3, 2);
  const Dims& x = ctx.shape(0);
  const bool packed = x.size() == 3;
  const DimExpr &batch = x[0], &sequence = packed ? x[1] : x[2];
  const bool positioned = ctx.has_input(3);
  if (ctx.has_rank(3)) {
    ctx.unify(ctx.shape(3)[0], batch, "batches of position_ids and X");
    ctx.unify(ctx.shape(3)[1], sequence, "lengths of position_ids and X");
  }
  if (!ctx.has_rank(1)) return;
  const Dims& cache = ctx.shape(1);
  if (ctx.has_rank(2))
    for (std::size_t d = 0; d < cache.size(); ++d)
      ctx.unify(cache[d], ctx.shape(2)[d], "sizes of cos_cache and sin_cache");
  const DimExpr size = packed ? DimExpr::floor_div(x[2], options.heads) : x[3];
  const DimExpr half = options.rotated > 0 ? DimExpr(options.rotated / 2) : DimExpr::floor_div(size, 2);
  ctx.unify(cache.back(), half, "columns of cos_cache and half of what is turned of each head");
  for (std::size_t d = 0; !positioned && d < 2; ++d)
    if (cache[d].is_constant() && cache[d].constant() != 1)
      ctx.unify(cache[d], d == 0 ? batch : sequence,
                d == 0 ? "batches of cos_cache and X" : "lengths of cos_cache and X");
}

}  // namespace
}  // namespace rotary_embedding_cc

std::int64_t RotaryOptions::required_heads() const {
  if (heads <= 0) throw Error(ErrorCode::InvalidGraph, "an X of rank 3 takes the attribute num_heads");
  return heads;
}

RotaryOptions resolve_rotary_options(const opset::Attrs& attrs) {
  return {.heads = attrs.find_i("num_heads").value_or(0),
          .rotated = std::max<std::int64_t>(0, attrs.i("rotary_embedding_dim")),
          .interleaved = attrs.flag("interleaved")};
}

RotaryParams resolve_rotary(const NodeView& node, const Shape& x, const Shape& cosines, const Shape& sines,
                            const Shape* positions) {
  const RotaryOptions options = resolve_rotary_options(node.attrs());
  RotaryParams p;
  p.interleaved = options.interleaved;
  if (x.size() == 4) {
    p.batch = x[0];
    p.heads = x[1];
    p.sequence = x[2];
    p.size = x[3];
    p.sequence_stride = p.size;
    p.head_stride = p.sequence * p.size;
    p.batch_stride = p.heads * p.head_stride;
  } else if (x.size() == 3) {
    p.heads = options.required_heads();
    if (x[2] % p.heads != 0)
      node.fail("X " + to_string(x) + " does not split into " + std::to_string(p.heads) + " heads",
                "give a num_heads that divides the last axis of X");
    p.batch = x[0];
    p.sequence = x[1];
    p.size = x[2] / p.heads;
    p.head_stride = p.size;
    p.sequence_stride = x[2];
    p.batch_stride = p.sequence * x[2];
  } else {
    node.fail("X has rank " + std::to_string(x.size()) + ", but has to have 3 or 4");
  }
  p.rotated = options.rotated == 0 ? p.size : options.rotated;
  if (p.rotated > p.size || p.rotated % 2 != 0)
    node.fail(std::to_string(p.rotated) + " elements of a head of " + std::to_string(p.size) + " cannot be turned",
              "rotary_embedding_dim is an even number, at most the size of a head");
  if (cosines != sines)
    node.fail("cos_cache " + to_string(cosines) + " and sin_cache " + to_string(sines) + " differ in shape");
  const bool rank = cosines.size() == (positions ? 2u : 3u);
  bool fits = rank && cosines.back() == p.rotated / 2;
  if (positions)
    fits = fits && *positions == Shape{p.batch, p.sequence};
  else
    fits = fits && (cosines[0] == p.batch || cosines[0] == 1) && (cosines[1] == p.sequence || cosines[1] == 1);
  if (!fits)
    node.fail("caches of " + to_string(cosines) + (positions ? " with position_ids " + to_string(*positions) : "") +
              " do not turn " + std::to_string(p.rotated) + " elements of each head of X " + to_string(x));
  return p;
}

constinit const Operator RotaryEmbedding = {
    .name = "RotaryEmbedding", .history = kRotaryEmbedding, .infer = infer_rotary};

void rotary_embedding_schemas(SchemaTable& table) { table.add(RotaryEmbedding); }

}  // namespace norn::ops
