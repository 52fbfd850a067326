// Average or maximum of samples between elements, in regions. Before 16 coordinates are as in output_half_pixel; the
// default since is half_pixel, so a step up must write it down.
#include "ops/object_detection/roi_align/roi_align.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr Attr kMode = {.name = "mode", .type = ir::AttributeType::String, .def = def_string("avg")};
constexpr Attr kOutputHeight = {.name = "output_height", .type = ir::AttributeType::Int, .def = def_int(1)};
constexpr Attr kOutputWidth = {.name = "output_width", .type = ir::AttributeType::Int, .def = def_int(1)};
constexpr Attr kSamplingRatio = {.name = "sampling_ratio", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Attr kSpatialScale = {.name = "spatial_scale", .type = ir::AttributeType::Float, .def = def_float(1.0f)};
constexpr Param kInputs[] = {
    {.name = "X", .type = "T1"},
    {.name = "rois", .type = "T1"},
    {.name = "batch_indices", .type = "T2"},
};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T1"}};
constexpr Attr kAttrs10[] = {kMode, kOutputHeight, kOutputWidth, kSamplingRatio, kSpatialScale};
constexpr Attr kAttrs16[] = {
    {.name = "coordinate_transformation_mode", .type = ir::AttributeType::String, .def = def_string("half_pixel")},
    kMode,
    kOutputHeight,
    kOutputWidth,
    kSamplingRatio,
    kSpatialScale,
};
constexpr TypeConstraint kTypes10[] = {{"T1", tensors(types::kFloat16To64)}, {"T2", tensors(elems(DataType::Int64))}};
constexpr TypeConstraint kTypes22[] = {{"T1", tensors(types::kFloats)}, {"T2", tensors(elems(DataType::Int64))}};

constexpr Schema kRoiAlign[] = {
    {.since = 10, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs10, .types = kTypes10},
    {.since = 16, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs16, .types = kTypes10},
    {.since = 22, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs16, .types = kTypes22, .same_meaning = true},
};

}  // namespace

constinit const Operator RoiAlign = {.name = "RoiAlign", .history = kRoiAlign};

void roi_align_schemas(SchemaTable& table) { table.add(RoiAlign); }

}  // namespace norn::ops
