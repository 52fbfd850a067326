// BatchNormalization: normalises each channel, with given statistics or with the batch's own.
//
// Which of the two it does was chosen in three ways: up to 6 by is_test, from 7 on by the number of outputs, from 14 on
// by training_mode. Up to 7, spatial = 0 asked for statistics per activation: C x D1 x ... x Dn of them instead of C.
#include "ops/nn/batch_normalization/batch_normalization.h"

#include "ops/common/shapes.h"
#include "opset/infer_context.h"
#include "opset/inference_faults.h"

namespace norn::ops {
inline namespace batch_normalization_cc {
namespace {

using namespace opset;

constexpr auto kDifferentiable = Differentiability::Differentiable;
constexpr auto kNot = Differentiability::NonDifferentiable;
constexpr auto kOptional = ParamOption::Optional;

constexpr Param kInputs1[] = {
    {.name = "X", .type = "T"},    {.name = "scale", .type = "T"}, {.name = "B", .type = "T"},
    {.name = "mean", .type = "T"}, {.name = "var", .type = "T"},
};
constexpr Param kInputs9[] = {
    {.name = "X", .type = "T", .diff = kDifferentiable},   {.name = "scale", .type = "T", .diff = kDifferentiable},
    {.name = "B", .type = "T", .diff = kDifferentiable},   {.name = "mean", .type = "T", .diff = kDifferentiable},
    {.name = "var", .type = "T", .diff = kDifferentiable},
};
constexpr Param kInputs14[] = {
    {.name = "X", .type = "T", .diff = kDifferentiable},
    {.name = "scale", .type = "T", .diff = kDifferentiable},
    {.name = "B", .type = "T", .diff = kDifferentiable},
    {.name = "input_mean", .type = "U", .diff = kDifferentiable},
    {.name = "input_var", .type = "U", .diff = kDifferentiable},
};
constexpr Param kInputs15[] = {
    {.name = "X", .type = "T", .diff = kDifferentiable},
    {.name = "scale", .type = "T1", .diff = kDifferentiable},
    {.name = "B", .type = "T1", .diff = kDifferentiable},
    {.name = "input_mean", .type = "T2", .diff = kDifferentiable},
    {.name = "input_var", .type = "T2", .diff = kDifferentiable},
};
constexpr Param kOutputs1[] = {
    {.name = "Y", .type = "T"},
    {.name = "mean", .type = "T", .option = kOptional},
    {.name = "var", .type = "T", .option = kOptional},
    {.name = "saved_mean", .type = "T", .option = kOptional},
    {.name = "saved_var", .type = "T", .option = kOptional},
};
constexpr Param kOutputs9[] = {
    {.name = "Y", .type = "T", .diff = kDifferentiable},
    {.name = "mean", .type = "T", .option = kOptional, .diff = kNot},
    {.name = "var", .type = "T", .option = kOptional, .diff = kNot},
    {.name = "saved_mean", .type = "T", .option = kOptional, .diff = kNot},
    {.name = "saved_var", .type = "T", .option = kOptional, .diff = kNot},
};
constexpr Param kOutputs14[] = {
    {.name = "Y", .type = "T", .diff = kDifferentiable},
    {.name = "running_mean", .type = "U", .option = kOptional, .diff = kNot},
    {.name = "running_var", .type = "U", .option = kOptional, .diff = kNot},
};
constexpr Param kOutputs15[] = {
    {.name = "Y", .type = "T", .diff = kDifferentiable},
    {.name = "running_mean", .type = "T2", .option = kOptional, .diff = kNot},
    {.name = "running_var", .type = "T2", .option = kOptional, .diff = kNot},
};

constexpr Attr kEpsilon = {.name = "epsilon", .type = ir::AttributeType::Float, .def = def_float(1e-5f)};
constexpr Attr kMomentum = {.name = "momentum", .type = ir::AttributeType::Float, .def = def_float(0.9f)};
constexpr Attr kIsTest = {.name = "is_test", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Attr kSpatial = {.name = "spatial", .type = ir::AttributeType::Int, .def = def_int(1)};
constexpr Attr kAttrs1[] = {{.name = "consumed_inputs", .type = ir::AttributeType::Ints, .required = true},
                            kEpsilon,
                            kIsTest,
                            kMomentum,
                            kSpatial};
constexpr Attr kAttrs6[] = {kEpsilon, kIsTest, kMomentum, kSpatial};
constexpr Attr kAttrs7[] = {kEpsilon, kMomentum, kSpatial};
constexpr Attr kAttrs9[] = {kEpsilon, kMomentum};
constexpr Attr kAttrs14[] = {
    kEpsilon, kMomentum, {.name = "training_mode", .type = ir::AttributeType::Int, .def = def_int(0)}};

constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes14[] = {{"T", tensors(types::kFloats)}, {"U", tensors(types::kFloats)}};
constexpr TypeConstraint kTypes15[] = {
    {"T", tensors(types::kFloats)}, {"T1", tensors(types::kFloats)}, {"T2", tensors(types::kFloats)}};

constexpr Schema kBatchNormalization[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kTypes1},
    {.since = 6, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs6, .types = kTypes1},
    {.since = 7, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs7, .types = kTypes1},
    {.since = 9, .inputs = kInputs9, .outputs = kOutputs9, .attrs = kAttrs9, .types = kTypes1},
    {.since = 14, .inputs = kInputs14, .outputs = kOutputs14, .attrs = kAttrs14, .types = kTypes14},
    {.since = 15, .inputs = kInputs15, .outputs = kOutputs15, .attrs = kAttrs14, .types = kTypes15},
};

void infer_batch_normalization(InferContext& ctx) {
  bool wants_statistics = false;
  for (int o = 1; o < ctx.output_count(); ++o) wants_statistics |= ctx.wants_output(o);
  const BatchNormalizationParams p = resolve_batch_normalization(ctx, wants_statistics);
  auto statistics = resolve_statistics(ctx, p);
  if (!statistics && !p.per_activation) statistics = Dims{ctx.fresh_dim()};
  same_as_input(ctx);
  for (int o = 1; o < ctx.output_count(); ++o) {
    if (statistics)
      ctx.set(o, ctx.elem(3), *statistics);
    else
      ctx.set(o, ctx.elem(3));
  }
}

}  // namespace
}  // namespace batch_normalization_cc

BatchNormalizationParams resolve_batch_normalization(const NodeView& node, bool wants_statistics) {
  const Attrs& attrs = node.attrs();
  bool training = wants_statistics;
  if (node.version() >= 14)
    training = attrs.flag("training_mode");
  else if (node.version() < 7)
    training = wants_statistics && !attrs.flag("is_test");
  if (node.version() >= 14 && wants_statistics && !training)
    throw RuleBroken(kStatisticsOutsideTraining, kStatisticsHint);
  return {.epsilon = attrs.f("epsilon"),
          .momentum = attrs.f("momentum"),
          .training = training,
          .per_activation = attrs.declares("spatial") && !attrs.flag("spatial")};
}

std::optional<Dims> resolve_statistics(const NodeView& node, const BatchNormalizationParams& p) {
  static constexpr const char* kWhat[] = {"", "channels of X and size of scale", "channels of X and size of B",
                                          "channels of X and size of the mean",
                                          "channels of X and size of the variance"};
  std::optional<Dims> statistics;
  if (const auto x = node.known_shape(0)) {
    if (x->empty()) node.fail("X is a scalar; it needs a batch dimension at least");
    statistics = x->size() == 1 ? Dims{1} : Dims(x->begin() + 1, p.per_activation ? x->end() : x->begin() + 2);
  }
  for (int i = 1; i < 5; ++i) {
    const auto own = node.known_shape(i);
    if (!own) continue;
    if (!statistics) statistics = own;
    if (statistics->size() != own->size())
      node.fail(node.input_name(i) + " has the shape " + to_string(*own) + ", but " + to_string(*statistics) +
                " is required");
    for (std::size_t d = 0; d < own->size(); ++d) (*statistics)[d] = node.unify((*statistics)[d], (*own)[d], kWhat[i]);
  }
  return statistics;
}

constinit const Operator BatchNormalization = {
    .name = "BatchNormalization", .history = kBatchNormalization, .infer = infer_batch_normalization};

void batch_normalization_schemas(SchemaTable& table) { table.add(BatchNormalization); }

}  // namespace norn::ops
