// Normalisation over the last axis of a sum: of a layer and what skips it, or of embeddings.
#include "ops/microsoft/skip_normalization/skip_normalization.h"

#include <string>
#include <utility>

#include "ops/common/agree.h"
#include "ops/microsoft/domain.h"
#include "ops/nn/layer_normalization/layer_normalization.h"
#include "opset/infer_context.h"

namespace norn::ops {
namespace microsoft {
inline namespace skip_normalization_cc {
namespace {

using namespace opset;

constexpr Param kSkipLayerNormalizationInputs[] = {
    {.name = "input", .type = "T"},
    {.name = "skip", .type = "T"},
    {.name = "gamma", .type = "T"},
    {.name = "beta", .type = "T", .option = ParamOption::Optional},
    {.name = "bias", .type = "T", .option = ParamOption::Optional},
};
constexpr Param kSkipLayerNormalizationOutputs[] = {
    {.name = "output", .type = "T"},
    {.name = "mean", .type = "U", .option = ParamOption::Optional},
    {.name = "inv_std_var", .type = "U", .option = ParamOption::Optional},
    {.name = "input_skip_bias_sum", .type = "T", .option = ParamOption::Optional},
};
constexpr Attr kSkipLayerNormalizationAttrs[] = {
    {.name = "epsilon", .type = ir::AttributeType::Float, .def = def_float(1e-12f)},
};
constexpr TypeConstraint kSkipLayerNormalizationTypes[] = {
    {"T", tensors(elems(DataType::BFloat16, DataType::Float, DataType::Float16))},
    {"U", tensors(elems(DataType::Float))},
};
constexpr Param kSkipSimplifiedLayerNormalizationInputs[] = {
    {.name = "input", .type = "T"},
    {.name = "skip", .type = "T"},
    {.name = "gamma", .type = "T"},
    {.name = "bias", .type = "T", .option = ParamOption::Optional},
};
constexpr Param kEmbedLayerNormalizationInputs[] = {
    {.name = "input_ids", .type = "T1"},
    {.name = "segment_ids", .type = "T1", .option = ParamOption::Optional},
    {.name = "word_embedding", .type = "T"},
    {.name = "position_embedding", .type = "T"},
    {.name = "segment_embedding", .type = "T", .option = ParamOption::Optional},
    {.name = "gamma", .type = "T"},
    {.name = "beta", .type = "T"},
    {.name = "mask", .type = "T1", .option = ParamOption::Optional},
    {.name = "position_ids", .type = "T1", .option = ParamOption::Optional},
};
constexpr Param kEmbedLayerNormalizationOutputs[] = {
    {.name = "output", .type = "T"},
    {.name = "mask_index", .type = "T1", .option = ParamOption::Optional},
    {.name = "embedding_sum", .type = "T", .option = ParamOption::Optional},
};
constexpr Attr kEmbedLayerNormalizationAttrs[] = {
    {.name = "epsilon", .type = ir::AttributeType::Float, .def = def_float(1e-12f)},
    {.name = "mask_index_type", .type = ir::AttributeType::Int},
};
constexpr TypeConstraint kEmbedLayerNormalizationTypes[] = {
    {"T1", tensors(elems(DataType::Int32))},
    {"T", tensors(elems(DataType::Float, DataType::Float16))},
};

constexpr Schema kSkipLayerNormalization[] = {
    {.since = 1,
     .inputs = kSkipLayerNormalizationInputs,
     .outputs = kSkipLayerNormalizationOutputs,
     .attrs = kSkipLayerNormalizationAttrs,
     .types = kSkipLayerNormalizationTypes},
};

constexpr Schema kSkipSimplifiedLayerNormalization[] = {
    {.since = 1,
     .inputs = kSkipSimplifiedLayerNormalizationInputs,
     .outputs = kSkipLayerNormalizationOutputs,
     .attrs = kSkipLayerNormalizationAttrs,
     .types = kSkipLayerNormalizationTypes},
};

constexpr Schema kEmbedLayerNormalization[] = {
    {.since = 1,
     .inputs = kEmbedLayerNormalizationInputs,
     .outputs = kEmbedLayerNormalizationOutputs,
     .attrs = kEmbedLayerNormalizationAttrs,
     .types = kEmbedLayerNormalizationTypes},
};

constexpr Param kSimplifiedLayerNormalizationInputs[] = {
    {.name = "X", .type = "T"},
    {.name = "scale", .type = "V"},
};
constexpr Param kSimplifiedLayerNormalizationOutputs[] = {
    {.name = "Y", .type = "V"},
    {.name = "inv_std_var", .type = "U", .option = ParamOption::Optional},
};
constexpr Attr kSimplifiedLayerNormalizationAttrs[] = {
    {.name = "axis", .type = ir::AttributeType::Int, .def = def_int(-1)},
    {.name = "epsilon", .type = ir::AttributeType::Float, .def = def_float(1e-05f)},
    {.name = "stash_type", .type = ir::AttributeType::Int, .def = def_int(1)},
};
constexpr TypeConstraint kSimplifiedLayerNormalizationTypes[] = {
    {"T", tensors(types::kFloats)},
    {"U", tensors(elems(DataType::Double, DataType::Float))},
    {"V", tensors(types::kFloats)},
};

constexpr Schema kSimplifiedLayerNormalization[] = {
    {.since = 1,
     .inputs = kSimplifiedLayerNormalizationInputs,
     .outputs = kSimplifiedLayerNormalizationOutputs,
     .attrs = kSimplifiedLayerNormalizationAttrs,
     .types = kSimplifiedLayerNormalizationTypes},
};

// Of the scale's type; the roots have the axes that are normalised with one element each.
void infer_simplified(InferContext& ctx) {
  const RowNormParams p = resolve_row_norm(ctx);
  require_row_factor(ctx, 1);
  if (!ctx.has_rank(0)) {
    ctx.set(0, ctx.elem(1));
    return ctx.set(1, p.stash);
  }
  ctx.set(0, ctx.elem(1), ctx.shape(0));
  Dims roots = ctx.shape(0);
  for (auto d = static_cast<std::size_t>(p.axis); d < roots.size(); ++d) roots[d] = 1;
  ctx.set(1, p.stash, std::move(roots));
}

// The skip has the input's shape; beside an input of three axes it may be for all of the batch, with an axis of one or
// without it. Scales and biases are lists, one number for each element of the last axis.
void infer_skip_normalization(InferContext& ctx) {
  require_rank_of(ctx, 0, {2, 3});
  require_rank_of(ctx, 1, {2, 3});
  if (ctx.has_rank(0) && ctx.has_rank(1)) {
    if (ctx.rank(1) > ctx.rank(0)) ctx.fail("skip has three axes, but input has two");
    agree(ctx, 0, -1, 1, -1);
    agree(ctx, 0, -2, 1, -2);
    if (ctx.rank(1) == 3 && ctx.shape(1)[0].is_constant() && ctx.shape(1)[0].constant() != 1) agree(ctx, 0, 0, 1, 0);
  }
  const int behind = ctx.has_rank(0) ? 0 : 1;
  for (int i = 2; i < ctx.input_count(); ++i)
    if (ctx.has_input(i)) require_list(ctx, i, behind, -1);
  ctx.set(0, ctx.input(0));
  ctx.set(3, ctx.input(0));
  if (!ctx.has_rank(0)) return;
  Dims roots = ctx.shape(0);
  roots.back() = 1;
  ctx.set(1, DataType::Float, roots);
  ctx.set(2, DataType::Float, std::move(roots));
}

// Ids, segments, the mask and positions are [batch, length], tables have a row of `hidden` numbers for each id.
void infer_embed(InferContext& ctx) {
  for (const int i : {0, 1, 2, 3, 4, 7, 8})
    if (ctx.has_input(i)) ctx.require_rank(i, 2);
  for (const int axis : {0, 1})
    for (const int i : {1, 7}) agree(ctx, 0, axis, i, axis);
  for (const int i : {3, 4}) agree(ctx, 2, 1, i, 1);
  for (const int i : {5, 6}) require_list(ctx, i, 2, 1);
  agree(ctx, 0, 1, 8, 1);
  const auto batches = size_of(ctx, 8, 0);
  if (batches && batches->is_constant() && batches->constant() != 1) agree(ctx, 0, 0, 8, 0);
  const auto rows = size_of(ctx, 3, 0), length = size_of(ctx, 0, 1);
  if (!ctx.has_input(8) && rows && length && rows->is_constant() && length->is_constant() &&
      rows->constant() < length->constant())
    ctx.fail("position_embedding has " + rows->to_string() + " rows, but input_ids " + length->to_string() +
             " tokens in a row");
  const auto or_fresh = [&](const std::optional<DimExpr>& size) { return size ? *size : ctx.fresh_dim(); };
  const DimExpr batch = or_fresh(size_of(ctx, 0, 0));
  const Dims dims = {batch, or_fresh(length), or_fresh(size_of(ctx, 2, 1))};
  ctx.set(0, ctx.elem(2), dims);
  ctx.set(1, ctx.elem(0), {batch});
  ctx.set(2, ctx.elem(2), dims);
}

}  // namespace
}  // namespace skip_normalization_cc

constinit const Operator SkipLayerNormalization = {.domain = kMicrosoftDomain,
                                                   .name = "SkipLayerNormalization",
                                                   .history = kSkipLayerNormalization,
                                                   .infer = infer_skip_normalization};
constinit const Operator SkipSimplifiedLayerNormalization = {.domain = kMicrosoftDomain,
                                                             .name = "SkipSimplifiedLayerNormalization",
                                                             .history = kSkipSimplifiedLayerNormalization,
                                                             .infer = infer_skip_normalization};
constinit const Operator EmbedLayerNormalization = {.domain = kMicrosoftDomain,
                                                    .name = "EmbedLayerNormalization",
                                                    .history = kEmbedLayerNormalization,
                                                    .infer = infer_embed};
constinit const Operator SimplifiedLayerNormalization = {.name = "SimplifiedLayerNormalization",
                                                         .history = kSimplifiedLayerNormalization,
                                                         .infer = infer_simplified,
                                                         .standard = false};

}  // namespace microsoft

void skip_normalization_schemas(opset::SchemaTable& table) {
  table.add(microsoft::SkipLayerNormalization);
  table.add(microsoft::SkipSimplifiedLayerNormalization);
  table.add(microsoft::EmbedLayerNormalization);
  table.add(microsoft::SimplifiedLayerNormalization);
}

}  // namespace norn::ops
