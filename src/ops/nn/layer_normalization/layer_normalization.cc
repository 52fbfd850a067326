// Normalisation over the last axes. Mean and inverse deviation are further outputs, in stash_type, with ones for the
// axes that were normalised.
#include "ops/nn/layer_normalization/layer_normalization.h"

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace layer_normalization_cc {
namespace {

using namespace opset;

constexpr auto kOptional = ParamOption::Optional;

constexpr Param kInputs[] = {
    {.name = "X", .type = "T"},
    {.name = "Scale", .type = "T"},
    {.name = "B", .type = "T", .option = kOptional},
};
constexpr Param kOutputs[] = {
    {.name = "Y", .type = "T"},
    {.name = "Mean", .type = "U", .option = kOptional},
    {.name = "InvStdDev", .type = "U", .option = kOptional},
};
constexpr Attr kAttrs[] = {
    {.name = "axis", .type = ir::AttributeType::Int, .def = def_int(-1)},
    {.name = "epsilon", .type = ir::AttributeType::Float, .def = def_float(1e-05f)},
    {.name = "stash_type", .type = ir::AttributeType::Int, .def = def_int(1)},
};
constexpr TypeConstraint kTypes[] = {
    {"T", tensors(types::kFloats)},
    {"U", tensors(elems(DataType::BFloat16, DataType::Float))},
};

constexpr Schema kLayerNormalization[] = {
    {.since = 17, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

DataType stash_type(const NodeView& node) {
  const std::int64_t type = node.attrs().i("stash_type");
  bool is_floating = false;
  for (const DataType floating : {DataType::Float, DataType::Float16, DataType::BFloat16, DataType::Double})
    is_floating |= type == static_cast<std::int64_t>(floating);
  if (!is_floating) node.fail("stash_type is " + std::to_string(type) + ", which is not a floating-point type");
  return static_cast<DataType>(type);
}

void infer_layer_normalization(InferContext& ctx) {
  same_as_input(ctx);
  // A type that the schema has for X, but not for these outputs, may be computed in all the same.
  const DataType stash = stash_type(ctx);
  if (!ctx.has_rank(0)) {
    for (int o = 1; o < ctx.output_count(); ++o) ctx.set(o, stash);
    return;
  }
  Dims statistics = ctx.shape(0);
  const RowNormParams p = resolve_row_norm(ctx, ctx.rank(0));
  for (auto d = static_cast<std::size_t>(p.axis); d < statistics.size(); ++d) statistics[d] = 1;
  for (int o = 1; o < ctx.output_count(); ++o) ctx.set(o, stash, statistics);
  for (int i = 1; i < 3; ++i) require_row_factor(ctx, i);
}

}  // namespace
}  // namespace layer_normalization_cc

void require_row_factor(InferContext& ctx, int i) {
  if (!ctx.has_rank(0) || !ctx.has_rank(i)) return;
  const Dims &x = ctx.shape(0), &factor = ctx.shape(i);
  const std::string name(ctx.schema().inputs[static_cast<std::size_t>(i)].name);
  bool fits = factor.size() <= x.size();
  for (std::size_t d = 0; fits && d < factor.size(); ++d) {
    const DimExpr &of = factor[d], &to = x[x.size() - factor.size() + d];
    if (!of.is_constant() || of.constant() == 1) continue;
    fits = !DimExpr::differ(of, to);
    if (fits) ctx.unify(to, of, "sizes of X and " + name + " along an axis");
  }
  if (!fits)
    ctx.fail(name + " " + ctx.input(i).to_string() + " does not broadcast to X, " + ctx.input(0).to_string(),
             factor.size() == 1 && factor[0].is_constant() && !x.empty() && x.back().is_constant()
                 ? name + " has to have one element, or as many as the last axis of X: " + x.back().to_string()
                 : "");
}

RowNormParams resolve_row_norm(const NodeView& node, std::int64_t rank) {
  return {.axis = node.axis(rank), .epsilon = node.attrs().f("epsilon"), .stash = stash_type(node)};
}

constinit const Operator LayerNormalization = {
    .name = "LayerNormalization", .history = kLayerNormalization, .infer = infer_layer_normalization};

void layer_normalization_schemas(SchemaTable& table) { table.add(LayerNormalization); }

}  // namespace norn::ops
