// Boxes that do not overlap a better one. Boxes are corners, of any diagonal, or centres. How many are selected only
// running tells.
#include "ops/object_detection/non_max_suppression/non_max_suppression.h"

#include <string>

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace non_max_suppression_cc {
namespace {

using namespace opset;

constexpr auto kOptional = ParamOption::Optional;

constexpr Param kInputs[] = {
    {.name = "boxes", .type = "tensor(float)"},
    {.name = "scores", .type = "tensor(float)"},
    {.name = "max_output_boxes_per_class", .type = "tensor(int64)", .option = kOptional},
    {.name = "iou_threshold", .type = "tensor(float)", .option = kOptional},
    {.name = "score_threshold", .type = "tensor(float)", .option = kOptional},
};
constexpr Param kOutputs[] = {{.name = "selected_indices", .type = "tensor(int64)"}};
constexpr Attr kAttrs[] = {{.name = "center_point_box", .type = ir::AttributeType::Int, .def = def_int(0)}};

constexpr Schema kNonMaxSuppression[] = {
    {.since = 10, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs},
    {.since = 11, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .same_meaning = true},
};

void infer_non_max_suppression(InferContext& ctx) {
  boxes_are_centered(ctx);
  ctx.require_rank(0, 3);
  ctx.require_rank(1, 3);
  if (ctx.has_rank(0)) ctx.unify(ctx.shape(0)[2], 4, "coordinates of a box and 4");
  if (ctx.has_rank(0) && ctx.has_rank(1)) {
    ctx.unify(ctx.shape(0)[0], ctx.shape(1)[0], "batches of boxes and scores");
    ctx.unify(ctx.shape(0)[1], ctx.shape(1)[2], "boxes of boxes and scores");
  }
  for (int i = 2; i < 5; ++i) {
    if (!ctx.has_rank(i)) continue;
    const DimExpr count = product(ctx.shape(i));
    if (count.is_constant() && count.constant() > 1)
      ctx.fail("input " + std::to_string(i) + " has " + count.to_string() + " elements, but has to be one number");
  }
  ctx.set(0, DataType::Int64, {ctx.fresh_dim("the number of boxes that are selected"), 3});
}

}  // namespace
}  // namespace non_max_suppression_cc

bool boxes_are_centered(const NodeView& node) {
  const std::int64_t format = node.attrs().i("center_point_box");
  if (format != 0 && format != 1) node.fail("center_point_box is " + std::to_string(format) + ", but has to be 0 or 1");
  return format == 1;
}

constinit const Operator NonMaxSuppression = {
    .name = "NonMaxSuppression", .history = kNonMaxSuppression, .infer = infer_non_max_suppression};

void non_max_suppression_schemas(SchemaTable& table) { table.add(NonMaxSuppression); }

}  // namespace norn::ops
