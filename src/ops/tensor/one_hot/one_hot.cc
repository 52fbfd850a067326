// Class numbers as vectors with one element on. From 11 on a negative class counts from the end and the new axis may be
// negative; before, such a class gives a vector that is all off.
#include "ops/tensor/one_hot/one_hot.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kInputs9[] = {
    {.name = "indices", .type = "T1"},
    {.name = "depth", .type = "T2"},
    {.name = "values", .type = "T3"},
};
constexpr Param kInputs11[] = {
    {.name = "indices", .type = "T1", .diff = kNonDiff},
    {.name = "depth", .type = "T2", .diff = kNonDiff},
    {.name = "values", .type = "T3", .diff = kNonDiff},
};
constexpr Param kOutputs9[] = {{.name = "output", .type = "T3"}};
constexpr Param kOutputs11[] = {{.name = "output", .type = "T3", .diff = kNonDiff}};
constexpr Attr kAttrs[] = {{.name = "axis", .type = ir::AttributeType::Int, .def = def_int(-1)}};
constexpr TypeConstraint kTypes9[] = {
    {"T1", tensors(types::kNumeric)},
    {"T2", tensors(types::kNumeric)},
    {"T3", tensors(types::kAll)},
};
constexpr TypeConstraint kTypes28[] = {
    {"T1", tensors(types::kNumeric)},
    {"T2", tensors(types::kNumeric)},
    {"T3", tensors(types::kAllBf)},
};

constexpr Schema kOneHot[] = {
    {.since = 9, .inputs = kInputs9, .outputs = kOutputs9, .attrs = kAttrs, .types = kTypes9},
    {.since = 11, .inputs = kInputs11, .outputs = kOutputs11, .attrs = kAttrs, .types = kTypes9},
    {.since = 28, .inputs = kInputs11, .outputs = kOutputs11, .attrs = kAttrs, .types = kTypes28, .same_meaning = true},
};

}  // namespace

constinit const Operator OneHot = {.name = "OneHot", .history = kOneHot};

void one_hot_schemas(SchemaTable& table) { table.add(OneHot); }

}  // namespace norn::ops
