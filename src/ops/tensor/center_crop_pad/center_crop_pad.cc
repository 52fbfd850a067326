// Cropped or padded to a size about the centre, axis by axis. Where the difference is odd, the extra element is cropped
// from or added at the end.
#include "ops/tensor/center_crop_pad/center_crop_pad.h"

namespace norn::ops {
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

}  // namespace

constinit const Operator CenterCropPad = {.name = "CenterCropPad", .history = kCenterCropPad};

void center_crop_pad_schemas(SchemaTable& table) { table.add(CenterCropPad); }

}  // namespace norn::ops
