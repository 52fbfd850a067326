// Boxes that do not overlap a better one. Boxes are corners, of any diagonal, or centres. How many are selected is only
// known by running.
#include "ops/object_detection/non_max_suppression/non_max_suppression.h"

#include <string>

#include "ops/common/agree.h"
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
  resolve_non_max_suppression(ctx);
  ctx.set(0, DataType::Int64, {ctx.fresh_dim("the number of boxes that are selected"), 3});
}

// The input that holds a number, if there is one and it is known.
const Tensor* number(const NodeView& node, int input, DataType type) {
  if (const auto shape = node.known_shape(input)) {
    const DimExpr count = product(*shape);
    if (count.is_constant() && count.constant() > 1)
      node.fail("input " + std::to_string(input) + " has " + count.to_string() + " elements, but has to be one number");
  }
  const Tensor* const value = node.constant(input);
  return value && value->size() == 1 && value->dtype() == type ? value : nullptr;
}

}  // namespace
}  // namespace non_max_suppression_cc

NonMaxSuppressionParams resolve_non_max_suppression(const NodeView& node) {
  const std::int64_t format = node.attrs().i("center_point_box");
  if (format != 0 && format != 1) node.fail("center_point_box is " + std::to_string(format) + ", but has to be 0 or 1");
  node.require_rank(0, 3);
  node.require_rank(1, 3);
  agree(node, 0, 2, 4, "coordinates of a box");
  agree(node, 0, 0, 1, 0);
  agree(node, 0, 1, 1, 2);
  NonMaxSuppressionParams p{.centered = format == 1, .most = 0, .overlap = 0, .least_score = std::nullopt};
  if (const Tensor* const most = number(node, 2, DataType::Int64)) p.most = *most->as<std::int64_t>();
  if (const Tensor* const overlap = number(node, 3, DataType::Float)) p.overlap = *overlap->as<float>();
  if (const Tensor* const least = number(node, 4, DataType::Float)) p.least_score = *least->as<float>();
  if (!(p.overlap >= 0 && p.overlap <= 1))
    node.fail("iou_threshold is " + std::to_string(p.overlap) + ", but has to be from 0 to 1");
  return p;
}

constinit const Operator NonMaxSuppression = {
    .name = "NonMaxSuppression", .history = kNonMaxSuppression, .infer = infer_non_max_suppression};

void non_max_suppression_schemas(SchemaTable& table) { table.add(NonMaxSuppression); }

}  // namespace norn::ops
