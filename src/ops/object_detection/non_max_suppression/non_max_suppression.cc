// Boxes that do not overlap a better one. Boxes are corners, of any diagonal, or centres. How many are selected only
// running tells.
#include "ops/object_detection/non_max_suppression/non_max_suppression.h"

namespace norn::ops {
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

}  // namespace

constinit const Operator NonMaxSuppression = {.name = "NonMaxSuppression", .history = kNonMaxSuppression};

void non_max_suppression_schemas(SchemaTable& table) { table.add(NonMaxSuppression); }

}  // namespace norn::ops
