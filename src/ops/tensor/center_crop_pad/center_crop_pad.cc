// Cropped or padded to a size about the centre, axis by axis. Where the difference is odd, the extra element is cropped
// from or added at the end.
#include "ops/tensor/center_crop_pad/center_crop_pad.h"

#include <numeric>
#include <string>
#include <utility>

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
  const CenterCropPadParams p = resolve_center_crop_pad(ctx);
  if (!ctx.has_rank(0)) return ctx.set(0, ctx.elem(0));
  Dims dims = ctx.shape(0);
  for (std::size_t k = 0; k < p.axes->size(); ++k) {
    dims[static_cast<std::size_t>((*p.axes)[k])] =
        p.sizes ? (*p.sizes)[k] : ctx.fresh_dim("the contents of shape are not known");
  }
  ctx.set(0, ctx.elem(0), std::move(dims));
}

}  // namespace
}  // namespace center_crop_pad_cc

CenterCropPadParams resolve_center_crop_pad(const NodeView& node) {
  CenterCropPadParams p{.axes = node.attrs().find_ints("axes"), .sizes = node.known_ints(1)};
  node.require_rank(1, 1);
  if (p.sizes) {
    for (const DimExpr& size : *p.sizes)
      if (size.is_constant() && size.constant() < 0) node.fail("shape has the negative size " + size.to_string());
  }
  if (const auto data = node.known_shape(0)) {
    const auto rank = static_cast<std::int64_t>(data->size());
    if (p.axes) {
      p.axes = node.normalize_axes(*std::move(p.axes), rank);
    } else {
      p.axes.emplace(data->size());
      std::iota(p.axes->begin(), p.axes->end(), 0);
    }
  }
  if (!p.axes) return p;
  agree(node, 1, 0, static_cast<std::int64_t>(p.axes->size()), "the number of axes");
  if (p.sizes && p.sizes->size() != p.axes->size())
    node.fail("shape has " + std::to_string(p.sizes->size()) + " numbers for " + std::to_string(p.axes->size()) +
              " axes");
  return p;
}

constinit const Operator CenterCropPad = {
    .name = "CenterCropPad", .history = kCenterCropPad, .infer = infer_center_crop_pad, .moves = Movement::Mixed};

void center_crop_pad_schemas(SchemaTable& table) { table.add(CenterCropPad); }

}  // namespace norn::ops
