// The mean of any number of tensors, element by element. Before version 8 all inputs have one shape; since then they
// broadcast together.
#include "ops/math/mean/mean.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;
constexpr auto kVariadic = ParamOption::Variadic;

constexpr Param kInputs1[] = {{.name = "data_0", .type = "T", .option = kVariadic}};
constexpr Param kInputs13[] = {{.name = "data_0", .type = "T", .option = kVariadic, .diff = kDiff}};
constexpr Param kOutputs1[] = {{.name = "mean", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "mean", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {{.name = "consumed_inputs", .type = ir::AttributeType::Ints}};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kFloats)}};

constexpr Schema kMean[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs, .types = kTypes1},
    {.since = 6, .inputs = kInputs1, .outputs = kOutputs1, .types = kTypes1},
    {.since = 8, .inputs = kInputs1, .outputs = kOutputs1, .types = kTypes1},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .types = kTypes13, .same_meaning = true},
};

}  // namespace

constinit const Operator Mean = {.name = "Mean", .history = kMean};

void mean_schemas(SchemaTable& table) { table.add(Mean); }

}  // namespace norn::ops
