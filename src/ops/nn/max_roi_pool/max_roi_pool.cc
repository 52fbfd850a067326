// Maximum pooling of regions into a fixed size. A region is (batch index, x1, y1, x2, y2) and is rounded to whole
// elements.
#include "ops/nn/max_roi_pool/max_roi_pool.h"

#include <string>

#include "opset/infer_context.h"

namespace norn::ops {
inline namespace max_roi_pool_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs[] = {
    {.name = "X", .type = "T", .diff = kDiff},
    {.name = "rois", .type = "T", .diff = Differentiability::NonDifferentiable},
};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {
    {.name = "pooled_shape", .type = ir::AttributeType::Ints, .required = true},
    {.name = "spatial_scale", .type = ir::AttributeType::Float, .def = def_float(1.0f)},
};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes22[] = {{"T", tensors(types::kFloats)}};

constexpr Schema kMaxRoiPool[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes1},
    {.since = 22, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes22, .same_meaning = true},
};

void infer_max_roi_pool(InferContext& ctx) {
  const MaxRoiPoolParams p = resolve_max_roi_pool(ctx);
  ctx.require_rank(0, 4);
  ctx.require_rank(1, 2);
  if (ctx.has_rank(1)) ctx.unify(ctx.shape(1)[1], 5, "numbers of a region and 5");
  ctx.set(0, ctx.elem(0),
          {ctx.has_rank(1) ? ctx.shape(1)[0] : ctx.fresh_dim(), ctx.has_rank(0) ? ctx.shape(0)[1] : ctx.fresh_dim(),
           p.height, p.width});
}

}  // namespace
}  // namespace max_roi_pool_cc

MaxRoiPoolParams resolve_max_roi_pool(const NodeView& node) {
  const auto shape = node.attrs().ints("pooled_shape");
  if (shape.size() != 2 || shape[0] < 1 || shape[1] < 1) {
    node.fail("pooled_shape is " + norn::to_string(shape) + ", but has to be a height and a width, both positive");
  }
  return {.height = shape[0], .width = shape[1], .spatial_scale = node.attrs().f("spatial_scale")};
}

constinit const Operator MaxRoiPool = {.name = "MaxRoiPool", .history = kMaxRoiPool, .infer = infer_max_roi_pool};

void max_roi_pool_schemas(SchemaTable& table) { table.add(MaxRoiPool); }

}  // namespace norn::ops
