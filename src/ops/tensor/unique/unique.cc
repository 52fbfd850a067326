// The distinct elements, or slices along an axis. Sorted, or in the order of first appearance; how many there are only
// running tells.
#include "ops/tensor/unique/unique.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;
constexpr auto kOptional = ParamOption::Optional;

constexpr Param kInputs[] = {{.name = "X", .type = "T", .diff = kNonDiff}};
constexpr Param kOutputs[] = {
    {.name = "Y", .type = "T", .diff = kNonDiff},
    {.name = "indices", .type = "tensor(int64)", .option = kOptional, .diff = kNonDiff},
    {.name = "inverse_indices", .type = "tensor(int64)", .option = kOptional, .diff = kNonDiff},
    {.name = "counts", .type = "tensor(int64)", .option = kOptional, .diff = kNonDiff},
};
constexpr Attr kAttrs[] = {
    {.name = "axis", .type = ir::AttributeType::Int},
    {.name = "sorted", .type = ir::AttributeType::Int, .def = def_int(1)},
};
constexpr TypeConstraint kTypes11[] = {{"T", tensors(types::kAll)}};
constexpr TypeConstraint kTypes28[] = {{"T", tensors(types::kAllBf)}};

constexpr Schema kUnique[] = {
    {.since = 11, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes11},
    {.since = 28, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes28, .same_meaning = true},
};

}  // namespace

constinit const Operator Unique = {.name = "Unique", .history = kUnique};

void unique_schemas(SchemaTable& table) { table.add(Unique); }

}  // namespace norn::ops
