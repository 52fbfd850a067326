// Forests of decision trees. The two older ones, deprecated since 5, name nodes by (tree, node) pairs; TreeEnsemble by
// position, split nodes and leaves apart. Version 3 added double tensors beside the float lists.
#include "ops/traditionalml/tree_ensemble/tree_ensemble.h"

#include <string>

#include "opset/infer_context.h"

namespace norn::ops {
inline namespace tree_ensemble_cc {
namespace {

using namespace opset;

constexpr Attr kNTargets = {.name = "n_targets", .type = ir::AttributeType::Int};
constexpr Attr kNodesMissingValueTracksTrue = {.name = "nodes_missing_value_tracks_true",
                                               .type = ir::AttributeType::Ints};
constexpr Attr kBaseValues = {.name = "base_values", .type = ir::AttributeType::Floats};
constexpr Attr kClassIds = {.name = "class_ids", .type = ir::AttributeType::Ints};
constexpr Attr kClassNodeids = {.name = "class_nodeids", .type = ir::AttributeType::Ints};
constexpr Attr kClassTreeids = {.name = "class_treeids", .type = ir::AttributeType::Ints};
constexpr Attr kClassWeights = {.name = "class_weights", .type = ir::AttributeType::Floats};
constexpr Attr kClasslabelsInt64s = {.name = "classlabels_int64s", .type = ir::AttributeType::Ints};
constexpr Attr kClasslabelsStrings = {.name = "classlabels_strings", .type = ir::AttributeType::Strings};
constexpr Attr kNodesFalsenodeids = {.name = "nodes_falsenodeids", .type = ir::AttributeType::Ints};
constexpr Attr kNodesFeatureids = {.name = "nodes_featureids", .type = ir::AttributeType::Ints};
constexpr Attr kNodesHitrates = {.name = "nodes_hitrates", .type = ir::AttributeType::Floats};
constexpr Attr kNodesModes = {.name = "nodes_modes", .type = ir::AttributeType::Strings};
constexpr Attr kNodesNodeids = {.name = "nodes_nodeids", .type = ir::AttributeType::Ints};
constexpr Attr kNodesTreeids = {.name = "nodes_treeids", .type = ir::AttributeType::Ints};
constexpr Attr kNodesTruenodeids = {.name = "nodes_truenodeids", .type = ir::AttributeType::Ints};
constexpr Attr kNodesValues = {.name = "nodes_values", .type = ir::AttributeType::Floats};
constexpr Attr kPostTransform = {
    .name = "post_transform", .type = ir::AttributeType::String, .def = def_string("NONE")};
constexpr Attr kBaseValuesAsTensor = {.name = "base_values_as_tensor", .type = ir::AttributeType::Tensor};
constexpr Attr kNodesHitratesAsTensor = {.name = "nodes_hitrates_as_tensor", .type = ir::AttributeType::Tensor};
constexpr Attr kNodesValuesAsTensor = {.name = "nodes_values_as_tensor", .type = ir::AttributeType::Tensor};
constexpr Attr kAggregateFunction = {
    .name = "aggregate_function", .type = ir::AttributeType::String, .def = def_string("SUM")};
constexpr Attr kTargetIds = {.name = "target_ids", .type = ir::AttributeType::Ints};
constexpr Attr kTargetNodeids = {.name = "target_nodeids", .type = ir::AttributeType::Ints};
constexpr Attr kTargetTreeids = {.name = "target_treeids", .type = ir::AttributeType::Ints};
constexpr Attr kTargetWeights = {.name = "target_weights", .type = ir::AttributeType::Floats};
constexpr TypeSet kSetT11 = tensors(types::kIndex | elems(DataType::Double, DataType::Float));
constexpr Param kInputs5[] = {{.name = "X", .type = "T"}};
constexpr Param kTreeEnsembleClassifierInputs[] = {{.name = "X", .type = "T1"}};
constexpr Param kTreeEnsembleOutputs[] = {{.name = "Y", .type = "T"}};
constexpr Param kTreeEnsembleClassifierOutputs[] = {
    {.name = "Y", .type = "T2"},
    {.name = "Z", .type = "tensor(float)"},
};
constexpr Param kTreeEnsembleRegressorOutputs[] = {{.name = "Y", .type = "tensor(float)"}};
constexpr Attr kTreeEnsembleAttrs[] = {
    {.name = "aggregate_function", .type = ir::AttributeType::Int, .def = def_int(1)},
    {.name = "leaf_targetids", .type = ir::AttributeType::Ints, .required = true},
    {.name = "leaf_weights", .type = ir::AttributeType::Tensor, .required = true},
    {.name = "membership_values", .type = ir::AttributeType::Tensor},
    kNTargets,
    {.name = "nodes_falseleafs", .type = ir::AttributeType::Ints, .required = true},
    {.name = "nodes_falsenodeids", .type = ir::AttributeType::Ints, .required = true},
    {.name = "nodes_featureids", .type = ir::AttributeType::Ints, .required = true},
    {.name = "nodes_hitrates", .type = ir::AttributeType::Tensor},
    kNodesMissingValueTracksTrue,
    {.name = "nodes_modes", .type = ir::AttributeType::Tensor, .required = true},
    {.name = "nodes_splits", .type = ir::AttributeType::Tensor, .required = true},
    {.name = "nodes_trueleafs", .type = ir::AttributeType::Ints, .required = true},
    {.name = "nodes_truenodeids", .type = ir::AttributeType::Ints, .required = true},
    {.name = "post_transform", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "tree_roots", .type = ir::AttributeType::Ints, .required = true},
};
constexpr Attr kTreeEnsembleClassifierAttrs1[] = {kBaseValues,
                                                  kClassIds,
                                                  kClassNodeids,
                                                  kClassTreeids,
                                                  kClassWeights,
                                                  kClasslabelsInt64s,
                                                  kClasslabelsStrings,
                                                  kNodesFalsenodeids,
                                                  kNodesFeatureids,
                                                  kNodesHitrates,
                                                  kNodesMissingValueTracksTrue,
                                                  kNodesModes,
                                                  kNodesNodeids,
                                                  kNodesTreeids,
                                                  kNodesTruenodeids,
                                                  kNodesValues,
                                                  kPostTransform};
constexpr Attr kTreeEnsembleClassifierAttrs3[] = {
    kBaseValues,
    kBaseValuesAsTensor,
    kClassIds,
    kClassNodeids,
    kClassTreeids,
    kClassWeights,
    {.name = "class_weights_as_tensor", .type = ir::AttributeType::Tensor},
    kClasslabelsInt64s,
    kClasslabelsStrings,
    kNodesFalsenodeids,
    kNodesFeatureids,
    kNodesHitrates,
    kNodesHitratesAsTensor,
    kNodesMissingValueTracksTrue,
    kNodesModes,
    kNodesNodeids,
    kNodesTreeids,
    kNodesTruenodeids,
    kNodesValues,
    kNodesValuesAsTensor,
    kPostTransform,
};
constexpr Attr kTreeEnsembleRegressorAttrs1[] = {kAggregateFunction,
                                                 kBaseValues,
                                                 kNTargets,
                                                 kNodesFalsenodeids,
                                                 kNodesFeatureids,
                                                 kNodesHitrates,
                                                 kNodesMissingValueTracksTrue,
                                                 kNodesModes,
                                                 kNodesNodeids,
                                                 kNodesTreeids,
                                                 kNodesTruenodeids,
                                                 kNodesValues,
                                                 kPostTransform,
                                                 kTargetIds,
                                                 kTargetNodeids,
                                                 kTargetTreeids,
                                                 kTargetWeights};
constexpr Attr kTreeEnsembleRegressorAttrs3[] = {
    kAggregateFunction,
    kBaseValues,
    kBaseValuesAsTensor,
    kNTargets,
    kNodesFalsenodeids,
    kNodesFeatureids,
    kNodesHitrates,
    kNodesHitratesAsTensor,
    kNodesMissingValueTracksTrue,
    kNodesModes,
    kNodesNodeids,
    kNodesTreeids,
    kNodesTruenodeids,
    kNodesValues,
    kNodesValuesAsTensor,
    kPostTransform,
    kTargetIds,
    kTargetNodeids,
    kTargetTreeids,
    kTargetWeights,
    {.name = "target_weights_as_tensor", .type = ir::AttributeType::Tensor},
};
constexpr TypeConstraint kTreeEnsembleTypes[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTreeEnsembleClassifierTypes[] = {
    {"T1", kSetT11},
    {"T2", tensors(types::kString | elems(DataType::Int64))},
};
constexpr TypeConstraint kTreeEnsembleRegressorTypes[] = {{"T", kSetT11}};

constexpr Schema kTreeEnsemble[] = {
    {.since = 5,
     .inputs = kInputs5,
     .outputs = kTreeEnsembleOutputs,
     .attrs = kTreeEnsembleAttrs,
     .types = kTreeEnsembleTypes},
};

constexpr Schema kTreeEnsembleClassifier[] = {
    {.since = 1,
     .inputs = kTreeEnsembleClassifierInputs,
     .outputs = kTreeEnsembleClassifierOutputs,
     .attrs = kTreeEnsembleClassifierAttrs1,
     .types = kTreeEnsembleClassifierTypes},
    {.since = 3,
     .inputs = kTreeEnsembleClassifierInputs,
     .outputs = kTreeEnsembleClassifierOutputs,
     .attrs = kTreeEnsembleClassifierAttrs3,
     .types = kTreeEnsembleClassifierTypes},
    {.since = 5,
     .inputs = kTreeEnsembleClassifierInputs,
     .outputs = kTreeEnsembleClassifierOutputs,
     .attrs = kTreeEnsembleClassifierAttrs3,
     .types = kTreeEnsembleClassifierTypes,
     .deprecated = true},
};

constexpr Schema kTreeEnsembleRegressor[] = {
    {.since = 1,
     .inputs = kInputs5,
     .outputs = kTreeEnsembleRegressorOutputs,
     .attrs = kTreeEnsembleRegressorAttrs1,
     .types = kTreeEnsembleRegressorTypes},
    {.since = 3,
     .inputs = kInputs5,
     .outputs = kTreeEnsembleRegressorOutputs,
     .attrs = kTreeEnsembleRegressorAttrs3,
     .types = kTreeEnsembleRegressorTypes},
    {.since = 5,
     .inputs = kInputs5,
     .outputs = kTreeEnsembleRegressorOutputs,
     .attrs = kTreeEnsembleRegressorAttrs3,
     .types = kTreeEnsembleRegressorTypes,
     .deprecated = true},
};

void set_scores(InferContext& ctx, int output, DataType type, std::int64_t columns) {
  ctx.set(output, type);
  if (ctx.has_rank(0)) ctx.set(output, type, {row_count(ctx), columns});
}

void require_features(InferContext& ctx, const Forest& forest) {
  if (!ctx.has_rank(0)) return;
  row_count(ctx);
  const DimExpr& columns = ctx.shape(0).back();
  if (columns.is_constant() && columns.constant() < forest.features)
    ctx.fail("X has " + columns.to_string() + " columns, but the trees look at feature " +
             std::to_string(forest.features - 1));
}

void infer_tree_ensemble(InferContext& ctx) {
  const Forest forest = resolve_tree_ensemble(ctx);
  require_features(ctx, forest);
  if (ctx.elem(0) != DataType::Undefined) set_scores(ctx, 0, ctx.elem(0), forest.targets);
}

void infer_tree_regressor(InferContext& ctx) {
  const Forest forest = resolve_tree_regressor(ctx);
  require_features(ctx, forest);
  set_scores(ctx, 0, DataType::Float, forest.targets);
}

void infer_tree_classifier(InferContext& ctx) {
  const Labels labels = resolve_labels(ctx, "classlabels_int64s", "classlabels_strings");
  const Forest forest = resolve_tree_classifier(ctx, labels);
  require_features(ctx, forest);
  ctx.set(0, labels.type());
  if (ctx.has_rank(0)) ctx.set(0, labels.type(), {row_count(ctx)});
  set_scores(ctx, 1, DataType::Float, forest.targets);
}

}  // namespace
}  // namespace tree_ensemble_cc

constinit const Operator TreeEnsemble = {
    .domain = "ai.onnx.ml", .name = "TreeEnsemble", .history = kTreeEnsemble, .infer = infer_tree_ensemble};
constinit const Operator TreeEnsembleClassifier = {.domain = "ai.onnx.ml",
                                                   .name = "TreeEnsembleClassifier",
                                                   .history = kTreeEnsembleClassifier,
                                                   .infer = infer_tree_classifier};
constinit const Operator TreeEnsembleRegressor = {.domain = "ai.onnx.ml",
                                                  .name = "TreeEnsembleRegressor",
                                                  .history = kTreeEnsembleRegressor,
                                                  .infer = infer_tree_regressor};

void tree_ensemble_schemas(SchemaTable& table) {
  for (const Operator* op : {&TreeEnsemble, &TreeEnsembleClassifier, &TreeEnsembleRegressor}) table.add(*op);
}

}  // namespace norn::ops
