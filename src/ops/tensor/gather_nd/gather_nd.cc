// Slices picked by rows of indices. The last axis of `indices` is one index. batch_dims, the leading axes that both
// share, came with 12.
#include "ops/tensor/gather_nd/gather_nd.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs11[] = {{.name = "data", .type = "T"}, {.name = "indices", .type = "tensor(int64)"}};
constexpr Param kInputs13[] = {
    {.name = "data", .type = "T", .diff = kDiff},
    {.name = "indices", .type = "tensor(int64)", .diff = Differentiability::NonDifferentiable},
};
constexpr Param kOutputs11[] = {{.name = "output", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {{.name = "batch_dims", .type = ir::AttributeType::Int, .def = def_int(0)}};
constexpr TypeConstraint kTypes11[] = {{"T", tensors(types::kAll)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kAllBf)}};

constexpr Schema kGatherND[] = {
    {.since = 11, .inputs = kInputs11, .outputs = kOutputs11, .types = kTypes11},
    {.since = 12, .inputs = kInputs11, .outputs = kOutputs11, .attrs = kAttrs, .types = kTypes11},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs, .types = kTypes13, .same_meaning = true},
};

}  // namespace

constinit const Operator GatherND = {.name = "GatherND", .history = kGatherND};

void gather_nd_schemas(SchemaTable& table) { table.add(GatherND); }

}  // namespace norn::ops
