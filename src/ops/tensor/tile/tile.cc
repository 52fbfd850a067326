// A tensor repeated along its axes. Version 1 repeats along one axis, which is an input; from 6 on there is a count for
// each axis.
#include "ops/tensor/tile/tile.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs1[] = {
    {.name = "input", .type = "T"},
    {.name = "tiles", .type = "T"},
    {.name = "axis", .type = "T"},
};
constexpr Param kInputs6[] = {{.name = "input", .type = "T"}, {.name = "repeats", .type = "T1"}};
constexpr Param kInputs13[] = {
    {.name = "input", .type = "T", .diff = kDiff},
    {.name = "repeats", .type = "T1", .diff = Differentiability::NonDifferentiable},
};
constexpr Param kOutputs1[] = {{.name = "output", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}, {"T1", tensors(elems(DataType::Int64))}};
constexpr TypeConstraint kTypes6[] = {{"T", tensors(types::kAll)}, {"T1", tensors(elems(DataType::Int64))}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kAllBf)}, {"T1", tensors(elems(DataType::Int64))}};

constexpr Schema kTile[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .types = kTypes1},
    {.since = 6, .inputs = kInputs6, .outputs = kOutputs1, .types = kTypes6},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .types = kTypes13, .same_meaning = true},
};

}  // namespace

constinit const Operator Tile = {.name = "Tile", .history = kTile};

void tile_schemas(SchemaTable& table) { table.add(Tile); }

}  // namespace norn::ops
