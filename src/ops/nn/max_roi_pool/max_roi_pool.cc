// Maximum pooling of regions into a fixed size. A region is (batch index, x1, y1, x2, y2) and is rounded to whole
// elements.
#include "ops/nn/max_roi_pool/max_roi_pool.h"

namespace norn::ops {
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

}  // namespace

constinit const Operator MaxRoiPool = {.name = "MaxRoiPool", .history = kMaxRoiPool};

void max_roi_pool_schemas(SchemaTable& table) { table.add(MaxRoiPool); }

}  // namespace norn::ops
