// The greatest or smallest elements along an axis, with their positions. K was an attribute in version 1 and is an
// input since 10; `largest` and `sorted` came with 11. Of equal elements the lower position comes first.
#include "ops/math/topk/topk.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;
constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Attr kAxis = {.name = "axis", .type = ir::AttributeType::Int, .def = def_int(-1)};
constexpr Param kInputs1[] = {{.name = "X", .type = "T"}};
constexpr Param kInputs10[] = {{.name = "X", .type = "T"}, {.name = "K", .type = "tensor(int64)"}};
constexpr Param kInputs11[] = {
    {.name = "X", .type = "T", .diff = kDiff},
    {.name = "K", .type = "tensor(int64)", .diff = kNonDiff},
};
constexpr Param kOutputs1[] = {{.name = "Values", .type = "T"}, {.name = "Indices", .type = "I"}};
constexpr Param kOutputs11[] = {
    {.name = "Values", .type = "T", .diff = kDiff},
    {.name = "Indices", .type = "I", .diff = kNonDiff},
};
constexpr Attr kAttrs1[] = {kAxis, {.name = "k", .type = ir::AttributeType::Int, .required = true}};
constexpr Attr kAttrs10[] = {kAxis};
constexpr Attr kAttrs11[] = {
    kAxis,
    {.name = "largest", .type = ir::AttributeType::Int, .def = def_int(1)},
    {.name = "sorted", .type = ir::AttributeType::Int, .def = def_int(1)},
};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}, {"I", tensors(elems(DataType::Int64))}};
constexpr TypeConstraint kTypes11[] = {{"T", tensors(types::kNumeric)}, {"I", tensors(elems(DataType::Int64))}};
constexpr TypeConstraint kTypes24[] = {{"T", tensors(types::kNumericBf)}, {"I", tensors(elems(DataType::Int64))}};

constexpr Schema kTopK[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kTypes1},
    {.since = 10, .inputs = kInputs10, .outputs = kOutputs1, .attrs = kAttrs10, .types = kTypes1},
    {.since = 11, .inputs = kInputs11, .outputs = kOutputs11, .attrs = kAttrs11, .types = kTypes11},
    {.since = 24,
     .inputs = kInputs11,
     .outputs = kOutputs11,
     .attrs = kAttrs11,
     .types = kTypes24,
     .same_meaning = true},
};

}  // namespace

constinit const Operator TopK = {.name = "TopK", .history = kTopK};

void topk_schemas(SchemaTable& table) { table.add(TopK); }

}  // namespace norn::ops
