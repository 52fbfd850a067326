// A tensor cut into parts along an axis. Lengths are an input or an attribute in version 1, an attribute up to 11, an
// input since 13. Without them the parts are equal; from 18 on, with num_outputs, the last may be shorter. Negative
// axes came with 11.
#include "ops/tensor/split/split.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;
constexpr auto kOptional = ParamOption::Optional;
constexpr auto kVariadic = ParamOption::Variadic;

constexpr Attr kSplitAttr = {.name = "split", .type = ir::AttributeType::Ints};
constexpr Attr kAxis = {.name = "axis", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Param kInputs1[] = {{.name = "input", .type = "T"}, {.name = "split", .type = "T", .option = kOptional}};
constexpr Param kInputs2[] = {{.name = "input", .type = "T"}};
constexpr Param kInputs13[] = {
    {.name = "input", .type = "T", .diff = kDiff},
    {.name = "split", .type = "tensor(int64)", .option = kOptional, .diff = Differentiability::NonDifferentiable},
};
constexpr Param kOutputs1[] = {{.name = "outputs...", .type = "T", .option = kVariadic}};
constexpr Param kOutputs2[] = {{.name = "outputs", .type = "T", .option = kVariadic}};
constexpr Param kOutputs13[] = {{.name = "outputs", .type = "T", .option = kVariadic, .diff = kDiff}};
constexpr Attr kAttrs1[] = {{.name = "axis", .type = ir::AttributeType::Int}, kSplitAttr};
constexpr Attr kAttrs2[] = {kAxis, kSplitAttr};
constexpr Attr kAttrs13[] = {kAxis};
constexpr Attr kAttrs18[] = {kAxis, {.name = "num_outputs", .type = ir::AttributeType::Int}};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes2[] = {{"T", tensors(types::kAll)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kAllBf)}};

constexpr Schema kSplit[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kTypes1},
    {.since = 2, .inputs = kInputs2, .outputs = kOutputs2, .attrs = kAttrs2, .types = kTypes2},
    {.since = 11, .inputs = kInputs2, .outputs = kOutputs2, .attrs = kAttrs2, .types = kTypes2},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs13, .types = kTypes13},
    {.since = 18, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs18, .types = kTypes13},
};

}  // namespace

constinit const Operator Split = {.name = "Split", .history = kSplit};

void split_schemas(SchemaTable& table) { table.add(Split); }

}  // namespace norn::ops
