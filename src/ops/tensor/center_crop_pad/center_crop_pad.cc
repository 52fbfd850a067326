// Cropped or padded to a size about the centre, axis by axis. Where the difference is odd, the extra element is cropped
// from or added at the end.
#include "ops/tensor/center_crop_pad/center_crop_pad.h"

#include <string>

#include "ops/common/agree.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace center_crop_pad_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs[] = {
    {.name = "input_data", .type = "T", .diff = kDiff},
    {.name = "shape", .type = "Tind", .diff = Differentiability::NonDifferentiable},
};
constexpr Param kOutputs[] = {{.name = "output_data", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {{.name = "axes", .type = ir::AttributeType::Ints}};
constexpr TypeConstraint kTypes[] = {{"T", tensors(types::kAllBf)}, {"Tind", tensors(types::kIndex)}};

constexpr Schema kCenterCropPad[] = {
    {.since = 18, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

// What an axis had does not matter to what it gets.
void infer_center_crop_pad(InferContext& ctx) {
  ctx.require_rank(1, 1);
  const auto wanted = ctx.known_ints(1);
  auto axes = ctx.attrs().find_ints("axes");
  if (wanted) {
    for (const DimExpr& size : *wanted)
      if (size.is_constant() && size.constant() < 0) ctx.fail("shape has the negative size " + size.to_string());
  }
  if (axes) agree(ctx, 1, 0, static_cast<std::int64_t>(axes->size()), "the number of axes");
  if (!ctx.has_rank(0)) return ctx.set(0, ctx.elem(0));
  Dims dims = ctx.shape(0);
  if (axes) {
    axes = ctx.normalize_axes(std::move(*axes), ctx.rank(0));
  } else {
    axes.emplace();
    for (std::int64_t d = 0; d < ctx.rank(0); ++d) axes->push_back(d);
  }
  agree(ctx, 1, 0, static_cast<std::int64_t>(axes->size()), "the number of axes");
  if (wanted && wanted->size() != axes->size())
    ctx.fail("shape has " + std::to_string(wanted->size()) + " numbers for " + std::to_string(axes->size()) + " axes");
  for (std::size_t k = 0; k < axes->size(); ++k) {
    dims[static_cast<std::size_t>((*axes)[k])] =
        wanted ? (*wanted)[k] : ctx.fresh_dim("the contents of shape are not known");
  }
  ctx.set(0, ctx.elem(0), std::move(dims));
}

}  // namespace
}  // namespace center_crop_pad_cc

constinit const Operator CenterCropPad = {
    .name = "CenterCropPad", .history = kCenterCropPad, .infer = infer_center_crop_pad};

void center_crop_pad_schemas(SchemaTable& table) { table.add(CenterCropPad); }

}  // namespace norn::ops
