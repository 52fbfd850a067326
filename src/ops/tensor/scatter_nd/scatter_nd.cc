// Slices written into a copy of a tensor. An index is a row of the last axis of `indices`. The reductions add and mul
// came with 16, max and min with 18.
#include "ops/tensor/scatter_nd/scatter_nd.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs11[] = {
    {.name = "data", .type = "T"},
    {.name = "indices", .type = "tensor(int64)"},
    {.name = "updates", .type = "T"},
};
constexpr Param kInputs13[] = {
    {.name = "data", .type = "T", .diff = kDiff},
    {.name = "indices", .type = "tensor(int64)", .diff = Differentiability::NonDifferentiable},
    {.name = "updates", .type = "T", .diff = kDiff},
};
constexpr Param kOutputs11[] = {{.name = "output", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {{.name = "reduction", .type = ir::AttributeType::String, .def = def_string("none")}};
constexpr TypeConstraint kTypes11[] = {{"T", tensors(types::kAll)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kAllBf)}};

constexpr Schema kScatterND[] = {
    {.since = 11, .inputs = kInputs11, .outputs = kOutputs11, .types = kTypes11},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .types = kTypes13, .same_meaning = true},
    {.since = 16, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs, .types = kTypes13},
    {.since = 18, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs, .types = kTypes13},
};

}  // namespace

constinit const Operator ScatterND = {.name = "ScatterND", .history = kScatterND};

void scatter_nd_schemas(SchemaTable& table) { table.add(ScatterND); }

}  // namespace norn::ops
