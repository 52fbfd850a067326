// Rounding to integers that stay floating. Round goes to the nearest, halves to even. Infinities, NaN and negative zero
// are given back as they are.
#include "ops/math/rounding/rounding.h"

#include "ops/common/shapes.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kInputs1[] = {{.name = "X", .type = "T"}};
constexpr Param kInputs13[] = {{.name = "X", .type = "T", .diff = kNonDiff}};
constexpr Param kOutputs1[] = {{.name = "Y", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "Y", .type = "T", .diff = kNonDiff}};
constexpr Attr kAttrs[] = {{.name = "consumed_inputs", .type = ir::AttributeType::Ints}};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kFloats)}};

constexpr Schema kRows1[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs, .types = kTypes1},
    {.since = 6, .inputs = kInputs1, .outputs = kOutputs1, .types = kTypes1},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .types = kTypes13, .same_meaning = true},
};

constexpr Schema kRound[] = {
    {.since = 11, .inputs = kInputs13, .outputs = kOutputs13, .types = kTypes1},
    {.since = 22, .inputs = kInputs13, .outputs = kOutputs13, .types = kTypes13, .same_meaning = true},
};

}  // namespace

constinit const Operator Ceil = {.name = "Ceil", .history = kRows1, .infer = same_as_input, .elementwise = true};
constinit const Operator Floor = {.name = "Floor", .history = kRows1, .infer = same_as_input, .elementwise = true};
constinit const Operator Round = {.name = "Round", .history = kRound, .infer = same_as_input, .elementwise = true};

void rounding_schemas(SchemaTable& table) {
  for (const Operator* op : {&Ceil, &Floor, &Round}) table.add(*op);
}

}  // namespace norn::ops
