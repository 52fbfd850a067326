// Einstein summation. The equation's letters name axes, an ellipsis stands for axes that broadcast, spaces mean
// nothing, and without an arrow the output has the letters that appear once, in alphabetical order.
#include "ops/math/einsum/einsum.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs[] = {{.name = "Inputs", .type = "T", .option = ParamOption::Variadic, .diff = kDiff}};
constexpr Param kOutputs[] = {{.name = "Output", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {{.name = "equation", .type = ir::AttributeType::String, .required = true}};
constexpr TypeConstraint kTypes12[] = {{"T", tensors(types::kNumeric)}};
constexpr TypeConstraint kTypes28[] = {{"T", tensors(types::kNumericBf)}};

constexpr Schema kEinsum[] = {
    {.since = 12, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes12},
    {.since = 28, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes28, .same_meaning = true},
};

}  // namespace

constinit const Operator Einsum = {.name = "Einsum", .history = kEinsum};

void einsum_schemas(SchemaTable& table) { table.add(Einsum); }

}  // namespace norn::ops
