// Normalisation over the last axis of a sum: of a layer and what skips it, or of embeddings.
#include "ops/microsoft/skip_normalization/skip_normalization.h"

#include "ops/microsoft/domain.h"
#include "opset/infer_context.h"

namespace norn::ops {
namespace microsoft {
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
  const auto stash = static_cast<DataType>(ctx.attrs().i("stash_type"));
  if (!ctx.has_rank(0)) {
    ctx.set(0, ctx.elem(1));
    return ctx.set(1, stash);
  }
  ctx.set(0, ctx.elem(1), ctx.shape(0));
  Dims roots = ctx.shape(0);
  for (auto d = static_cast<std::size_t>(ctx.axis(ctx.rank(0))); d < roots.size(); ++d) roots[d] = 1;
  ctx.set(1, stash, std::move(roots));
}

}  // namespace

constinit const Operator SkipLayerNormalization = {
    .domain = kMicrosoftDomain, .name = "SkipLayerNormalization", .history = kSkipLayerNormalization};
constinit const Operator SkipSimplifiedLayerNormalization = {.domain = kMicrosoftDomain,
                                                             .name = "SkipSimplifiedLayerNormalization",
                                                             .history = kSkipSimplifiedLayerNormalization};
constinit const Operator EmbedLayerNormalization = {
    .domain = kMicrosoftDomain, .name = "EmbedLayerNormalization", .history = kEmbedLayerNormalization};
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
