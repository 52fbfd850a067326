// A grid of sampling points from affine maps. The companion of GridSample; `size` is N, C and the spatial sizes, two or
// three.
#include "ops/tensor/affine_grid/affine_grid.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kInputs[] = {
    {.name = "theta", .type = "T1", .diff = kNonDiff},
    {.name = "size", .type = "T2", .diff = kNonDiff},
};
constexpr Param kOutputs[] = {{.name = "grid", .type = "T1", .diff = Differentiability::Differentiable}};
constexpr Attr kAttrs[] = {{.name = "align_corners", .type = ir::AttributeType::Int, .def = def_int(0)}};
constexpr TypeConstraint kTypes[] = {{"T1", tensors(types::kFloats)}, {"T2", tensors(elems(DataType::Int64))}};

constexpr Schema kAffineGrid[] = {
    {.since = 20,
     .inputs = kInputs,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes,
     .determinism = Determinism::NonDeterministic},
};

}  // namespace

constinit const Operator AffineGrid = {.name = "AffineGrid", .history = kAffineGrid};

void affine_grid_schemas(SchemaTable& table) { table.add(AffineGrid); }

}  // namespace norn::ops
