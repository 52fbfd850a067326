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

void infer_layer_normalization(InferContext& ctx) {
  same_as_input(ctx);
  // A type that the schema has for X, but not for these outputs, may be computed in all the same.
  const RowNormParams p = resolve_row_norm(ctx);
  if (!ctx.has_rank(0)) {
    for (int o = 1; o < ctx.output_count(); ++o) ctx.set(o, p.stash);
    return;
  }
  Dims statistics = ctx.shape(0);
  for (auto d = static_cast<std::size_t>(p.axis); d < statistics.size(); ++d) statistics[d] = 1;
  for (int o = 1; o < ctx.output_count(); ++o) ctx.set(o, p.stash, statistics);
  for (int i = 1; i < 3; ++i) require_row_factor(ctx, i);
}

}  // namespace
}  // namespace layer_normalization_cc

void require_row_factor(const NodeView& node, int i) {
  const auto x = node.known_shape(0), factor = node.known_shape(i);
  if (!x || !factor) return;
  const std::string name(node.schema().inputs[static_cast<std::size_t>(i)].name);
  bool fits = factor->size() <= x->size();
  for (std::size_t d = 0; fits && d < factor->size(); ++d) {
    const DimExpr &of = (*factor)[d], &to = (*x)[x->size() - factor->size() + d];
    if (!of.is_constant() || of.constant() == 1) continue;
    fits = !DimExpr::differ(of, to);
    if (fits) node.unify(to, of, "sizes of X and " + name + " along an axis");
  }
  if (!fits)
    node.fail(name + " " + to_string(*factor) + " does not broadcast to X, " + to_string(*x),
              factor->size() == 1 && factor->front().is_constant() && !x->empty() && x->back().is_constant()
                  ? name + " has to have one element, or as many as the last axis of X: " + x->back().to_string()
                  : "");
}

DataType resolve_stash_type(const NodeView& node) {
  const std::int64_t type = node.attrs().i("stash_type");
  bool is_floating = false;
  for (const DataType floating : {DataType::Float, DataType::Float16, DataType::BFloat16, DataType::Double})
    is_floating |= type == static_cast<std::int64_t>(floating);
  if (!is_floating) node.fail("stash_type is " + std::to_string(type) + ", which is not a floating-point type");
  return static_cast<DataType>(type);
}

RowNormParams resolve_row_norm(const NodeView& node) {
  const auto x = node.known_shape(0);
  return {.axis = x ? node.axis(static_cast<std::int64_t>(x->size())) : node.attrs().i("axis"),
          .epsilon = node.attrs().f("epsilon"),
          .stash = resolve_stash_type(node)};
}

constinit const Operator LayerNormalization = {
    .name = "LayerNormalization", .history = kLayerNormalization, .infer = infer_layer_normalization};

void layer_normalization_schemas(SchemaTable& table) { table.add(LayerNormalization); }

}  // namespace norn::ops
