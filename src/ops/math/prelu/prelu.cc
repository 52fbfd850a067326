// Leaky rectification with a learned slope. Before version 7 the slope goes by channels (or is one number); since then
// it broadcasts to X from the right, so a slope of shape [C] changes its meaning.
#include "ops/math/prelu/prelu.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs1[] = {{.name = "X", .type = "T"}, {.name = "slope", .type = "T"}};
constexpr Param kInputs9[] = {{.name = "X", .type = "T", .diff = kDiff}, {.name = "slope", .type = "T", .diff = kDiff}};
constexpr Param kOutputs1[] = {{.name = "Y", .type = "T"}};
constexpr Param kOutputs9[] = {{.name = "Y", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {{.name = "consumed_inputs", .type = ir::AttributeType::Ints}};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes9[] = {{"T", tensors(types::kWideInts | types::kFloat16To64)}};
constexpr TypeConstraint kTypes16[] = {{"T", tensors(types::kWideInts | types::kFloats)}};

constexpr Schema kPRelu[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs, .types = kTypes1},
    {.since = 6, .inputs = kInputs1, .outputs = kOutputs1, .types = kTypes1},
    {.since = 7, .inputs = kInputs1, .outputs = kOutputs1, .types = kTypes1},
    {.since = 9, .inputs = kInputs9, .outputs = kOutputs9, .types = kTypes9, .same_meaning = true},
    {.since = 16, .inputs = kInputs9, .outputs = kOutputs9, .types = kTypes16, .same_meaning = true},
};

}  // namespace

constinit const Operator PRelu = {.name = "PRelu", .history = kPRelu};

void prelu_schemas(SchemaTable& table) { table.add(PRelu); }

}  // namespace norn::ops
