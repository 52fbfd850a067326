// Values put back where MaxPool took them. Indices count in the input of that pooling, whose size output_shape tells
// where it is not unique.
#include "ops/nn/max_unpool/max_unpool.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;
constexpr auto kNonDiff = Differentiability::NonDifferentiable;
constexpr auto kOptional = ParamOption::Optional;

constexpr Param kInputs9[] = {
    {.name = "X", .type = "T1"},
    {.name = "I", .type = "T2"},
    {.name = "output_shape", .type = "T2", .option = kOptional},
};
constexpr Param kInputs11[] = {
    {.name = "X", .type = "T1", .diff = kDiff},
    {.name = "I", .type = "T2", .diff = kNonDiff},
    {.name = "output_shape", .type = "T2", .option = kOptional, .diff = kNonDiff},
};
constexpr Param kOutputs9[] = {{.name = "output", .type = "T1"}};
constexpr Param kOutputs11[] = {{.name = "output", .type = "T1", .diff = kDiff}};
constexpr Attr kAttrs[] = {
    {.name = "kernel_shape", .type = ir::AttributeType::Ints, .required = true},
    {.name = "pads", .type = ir::AttributeType::Ints},
    {.name = "strides", .type = ir::AttributeType::Ints},
};
constexpr TypeConstraint kTypes9[] = {{"T1", tensors(types::kFloat16To64)}, {"T2", tensors(elems(DataType::Int64))}};
constexpr TypeConstraint kTypes22[] = {{"T1", tensors(types::kFloats)}, {"T2", tensors(elems(DataType::Int64))}};

constexpr Schema kMaxUnpool[] = {
    {.since = 9, .inputs = kInputs9, .outputs = kOutputs9, .attrs = kAttrs, .types = kTypes9},
    {.since = 11, .inputs = kInputs11, .outputs = kOutputs11, .attrs = kAttrs, .types = kTypes9, .same_meaning = true},
    {.since = 22, .inputs = kInputs11, .outputs = kOutputs11, .attrs = kAttrs, .types = kTypes22, .same_meaning = true},
};

}  // namespace

constinit const Operator MaxUnpool = {.name = "MaxUnpool", .history = kMaxUnpool};

void max_unpool_schemas(SchemaTable& table) { table.add(MaxUnpool); }

}  // namespace norn::ops
