// alpha*x + beta and its relatives. ParametricSoftplus and ScaledTanh were given no defaults: a node has to say both
// factors.
#include "ops/experiments/affine/affine.h"

#include "ops/common/shapes.h"
#include "ops/experiments/withdrawn.h"
#include "opset/infer_context.h"

namespace norn::ops {
namespace experiments {
inline namespace affine_cc {
namespace {

using namespace opset;

constexpr TypeConstraint kTypes[] = {{"T", tensors(types::kFloat16To64)}};
constexpr Param kX[] = {{.name = "X", .type = "T"}};
constexpr Param kY[] = {{.name = "Y", .type = "T"}};
constexpr Param kInput[] = {{.name = "input", .type = "T"}};
constexpr Param kOutput[] = {{.name = "output", .type = "T"}};
constexpr Attr kAffineAttrs[] = {
    {.name = "alpha", .type = ir::AttributeType::Float, .def = def_float(1)},
    {.name = "beta", .type = ir::AttributeType::Float, .def = def_float(0)},
};
constexpr Attr kFactors[] = {
    {.name = "alpha", .type = ir::AttributeType::Float},
    {.name = "beta", .type = ir::AttributeType::Float},
};
constexpr Attr kScaleAttrs[] = {{.name = "scale", .type = ir::AttributeType::Float, .def = def_float(1)}};
constexpr Attr kImageScalerAttrs[] = {
    {.name = "bias", .type = ir::AttributeType::Floats},
    {.name = "scale", .type = ir::AttributeType::Float, .def = def_float(1)},
};

constexpr Schema kAffine[] = {experimental(kX, kY, kAffineAttrs, kTypes),
                              withdrawn(experimental(kX, kY, kAffineAttrs, kTypes))};
constexpr Schema kImageScaler[] = {experimental(kInput, kOutput, kImageScalerAttrs, kTypes),
                                   withdrawn(experimental(kInput, kOutput, kImageScalerAttrs, kTypes))};
constexpr Schema kParametricSoftplus[] = {experimental(kX, kY, kFactors, kTypes),
                                          withdrawn(experimental(kX, kY, kFactors, kTypes))};
constexpr Schema kScale[] = {experimental(kInput, kOutput, kScaleAttrs, kTypes),
                             withdrawn(experimental(kInput, kOutput, kScaleAttrs, kTypes))};
constexpr Schema kScaledTanh[] = {experimental(kInput, kOutput, kFactors, kTypes),
                                  withdrawn(experimental(kInput, kOutput, kFactors, kTypes))};

void infer_image_scaler(InferContext& ctx) {
  ctx.require_rank(0, 4);
  same_as_input(ctx);
  const auto bias = ctx.attrs().find_floats("bias");
  if (!bias || !ctx.has_rank(0)) return;
  Dims dims = ctx.shape(0);
  dims[1] = ctx.unify(dims[1], static_cast<std::int64_t>(bias->size()), "the channels and the number of bias's values");
  ctx.set(0, ctx.elem(0), std::move(dims));
}

}  // namespace
}  // namespace affine_cc

constinit const Operator Affine = {.name = "Affine", .history = kAffine, .infer = same_as_input, .standard = false};
constinit const Operator ImageScaler = {
    .name = "ImageScaler", .history = kImageScaler, .infer = infer_image_scaler, .standard = false};
constinit const Operator ParametricSoftplus = {
    .name = "ParametricSoftplus", .history = kParametricSoftplus, .infer = same_as_input, .standard = false};
constinit const Operator Scale = {.name = "Scale", .history = kScale, .infer = same_as_input, .standard = false};
constinit const Operator ScaledTanh = {
    .name = "ScaledTanh", .history = kScaledTanh, .infer = same_as_input, .standard = false};

}  // namespace experiments

void affine_schemas(opset::SchemaTable& table) {
  using namespace experiments;
  for (const opset::Operator* op : {&Affine, &ImageScaler, &ParametricSoftplus, &Scale, &ScaledTanh}) table.add(*op);
}

}  // namespace norn::ops
