// Interpolation to other sizes. Version 10 maps coordinates in one way; 11 made it an attribute and roi, scales, sizes
// inputs; 18 added axes, antialias and aspect ratio; 19 half_pixel_symmetric. tf_half_pixel_for_nn left with 13.
#include "ops/tensor/resize/resize.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;
constexpr auto kNonDiff = Differentiability::NonDifferentiable;
constexpr auto kOptional = ParamOption::Optional;

constexpr Param kScales = {.name = "scales", .type = "tensor(float)"};
constexpr Attr kMode = {.name = "mode", .type = ir::AttributeType::String, .def = def_string("nearest")};
constexpr Attr kCoordinateTransformationMode = {
    .name = "coordinate_transformation_mode", .type = ir::AttributeType::String, .def = def_string("half_pixel")};
constexpr Attr kCubicCoeffA = {.name = "cubic_coeff_a", .type = ir::AttributeType::Float, .def = def_float(-0.75f)};
constexpr Attr kExcludeOutside = {.name = "exclude_outside", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Attr kExtrapolationValue = {
    .name = "extrapolation_value", .type = ir::AttributeType::Float, .def = def_float(0.0f)};
constexpr Attr kNearestMode = {
    .name = "nearest_mode", .type = ir::AttributeType::String, .def = def_string("round_prefer_floor")};
constexpr Param kInputs10[] = {{.name = "X", .type = "T"}, kScales};
constexpr Param kInputs11[] = {
    {.name = "X", .type = "T1"},
    {.name = "roi", .type = "T2"},
    kScales,
    {.name = "sizes", .type = "tensor(int64)", .option = kOptional},
};
constexpr Param kInputs13[] = {
    {.name = "X", .type = "T1", .diff = kDiff},
    {.name = "roi", .type = "T2", .option = kOptional, .diff = kNonDiff},
    {.name = "scales", .type = "tensor(float)", .option = kOptional, .diff = kNonDiff},
    {.name = "sizes", .type = "tensor(int64)", .option = kOptional, .diff = kNonDiff},
};
constexpr Param kOutputs10[] = {{.name = "Y", .type = "T"}};
constexpr Param kOutputs11[] = {{.name = "Y", .type = "T1"}};
constexpr Param kOutputs13[] = {{.name = "Y", .type = "T1", .diff = kDiff}};
constexpr Attr kAttrs10[] = {kMode};
constexpr Attr kAttrs11[] = {kCoordinateTransformationMode, kCubicCoeffA, kExcludeOutside,
                             kExtrapolationValue,           kMode,        kNearestMode};
constexpr Attr kAttrs18[] = {
    {.name = "antialias", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "axes", .type = ir::AttributeType::Ints},
    kCoordinateTransformationMode,
    kCubicCoeffA,
    kExcludeOutside,
    kExtrapolationValue,
    {.name = "keep_aspect_ratio_policy", .type = ir::AttributeType::String, .def = def_string("stretch")},
    kMode,
    kNearestMode,
};
constexpr TypeConstraint kTypes10[] = {{"T", tensors(types::kAll)}};
constexpr TypeConstraint kTypes11[] = {{"T1", tensors(types::kAll)}, {"T2", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes13[] = {{"T1", tensors(types::kAllBf)}, {"T2", tensors(types::kFloat16To64)}};

constexpr Schema kResize[] = {
    {.since = 10, .inputs = kInputs10, .outputs = kOutputs10, .attrs = kAttrs10, .types = kTypes10},
    {.since = 11, .inputs = kInputs11, .outputs = kOutputs11, .attrs = kAttrs11, .types = kTypes11},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs11, .types = kTypes13},
    {.since = 18, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs18, .types = kTypes13},
    {.since = 19, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs18, .types = kTypes13},
};

}  // namespace

constinit const Operator Resize = {.name = "Resize", .history = kResize};

void resize_schemas(SchemaTable& table) { table.add(Resize); }

}  // namespace norn::ops
