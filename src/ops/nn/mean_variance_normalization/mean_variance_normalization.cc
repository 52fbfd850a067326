// Mean zero and variance one over axes. The default axes, 0, 2 and 3, fit images N x C x H x W only.
#include "ops/nn/mean_variance_normalization/mean_variance_normalization.h"

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace mean_variance_normalization_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr std::int64_t kAxesDefault[] = {0, 2, 3};
constexpr Param kInputs9[] = {{.name = "X", .type = "T"}};
constexpr Param kInputs13[] = {{.name = "X", .type = "T", .diff = kDiff}};
constexpr Param kOutputs9[] = {{.name = "Y", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "Y", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {{.name = "axes", .type = ir::AttributeType::Ints, .def = def_ints(kAxesDefault)}};
constexpr TypeConstraint kTypes9[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kFloats)}};

constexpr Schema kMeanVarianceNormalization[] = {
    {.since = 9, .inputs = kInputs9, .outputs = kOutputs9, .attrs = kAttrs, .types = kTypes9},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs, .types = kTypes13, .same_meaning = true},
};

void infer_mean_variance_normalization(InferContext& ctx) {
  if (ctx.has_rank(0)) ctx.normalize_axes(ctx.attrs().ints("axes"), ctx.rank(0));
  same_as_input(ctx);
}

}  // namespace
}  // namespace mean_variance_normalization_cc

constinit const Operator MeanVarianceNormalization = {.name = "MeanVarianceNormalization",
                                                      .history = kMeanVarianceNormalization,
                                                      .infer = infer_mean_variance_normalization};

void mean_variance_normalization_schemas(SchemaTable& table) { table.add(MeanVarianceNormalization); }

}  // namespace norn::ops
