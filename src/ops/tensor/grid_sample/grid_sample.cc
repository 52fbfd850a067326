// Samples of an image at points of a grid. Points lie in [-1, 1]; align_corners says whether that means centres or
// edges. 20 took any number of dimensions and renamed the modes: bilinear became linear, bicubic cubic.
#include "ops/tensor/grid_sample/grid_sample.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Attr kAlignCorners = {.name = "align_corners", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Attr kPaddingMode = {.name = "padding_mode", .type = ir::AttributeType::String, .def = def_string("zeros")};
constexpr Param kInputs[] = {
    {.name = "X", .type = "T1", .diff = kDiff},
    {.name = "grid", .type = "T2", .diff = Differentiability::NonDifferentiable},
};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T1", .diff = kDiff}};
constexpr Attr kAttrs16[] = {
    kAlignCorners,
    {.name = "mode", .type = ir::AttributeType::String, .def = def_string("bilinear")},
    kPaddingMode,
};
constexpr Attr kAttrs20[] = {
    kAlignCorners,
    {.name = "mode", .type = ir::AttributeType::String, .def = def_string("linear")},
    kPaddingMode,
};
constexpr TypeConstraint kTypes16[] = {{"T1", tensors(types::kAll)}, {"T2", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes22[] = {{"T1", tensors(types::kAllBf)}, {"T2", tensors(types::kFloats)}};

constexpr Schema kGridSample[] = {
    {.since = 16, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs16, .types = kTypes16},
    {.since = 20, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs20, .types = kTypes16},
    {.since = 22, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs20, .types = kTypes22, .same_meaning = true},
};

}  // namespace

constinit const Operator GridSample = {.name = "GridSample", .history = kGridSample};

void grid_sample_schemas(SchemaTable& table) { table.add(GridSample); }

}  // namespace norn::ops
