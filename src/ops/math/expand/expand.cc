// Broadcasting to a given shape. It goes both ways: a 1 in the shape keeps the input's size, so the output may be
// larger than the shape says.
#include "ops/math/expand/expand.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs8[] = {{.name = "input", .type = "T"}, {.name = "shape", .type = "tensor(int64)"}};
constexpr Param kInputs13[] = {
    {.name = "input", .type = "T", .diff = kDiff},
    {.name = "shape", .type = "tensor(int64)", .diff = Differentiability::NonDifferentiable},
};
constexpr Param kOutputs8[] = {{.name = "output", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr TypeConstraint kTypes8[] = {{"T", tensors(types::kAll)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kAllBf)}};

constexpr Schema kExpand[] = {
    {.since = 8, .inputs = kInputs8, .outputs = kOutputs8, .types = kTypes8},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .types = kTypes13, .same_meaning = true},
};

}  // namespace

constinit const Operator Expand = {.name = "Expand", .history = kExpand};

void expand_schemas(SchemaTable& table) { table.add(Expand); }

}  // namespace norn::ops
